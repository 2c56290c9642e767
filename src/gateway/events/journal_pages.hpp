#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gateway/events/database.hpp"
#include "gateway/events/type_filter.hpp"

namespace gantry::gateway::events {

/// Reads the journal page by page, as server-sent events whose ids are the entry numbers. Uses a read-only connection
/// of its own, so writers are never blocked. Not thread-safe.
class JournalPages {
public:
    explicit JournalPages(const std::filesystem::path& folder);

    struct Page {
        std::string events;
        /// The last entry examined: where the next page begins.
        std::int64_t last = 0;
        /// Entries after the requested position that no longer exist.
        std::int64_t lost = 0;
        /// The journal's last entry at the time of reading.
        std::int64_t head = 0;
    };
    /// Entries after `after`; the page is bounded, so there is more to read when `last` differs from `head`.
    Result<Page> read(std::int64_t after, const TypeFilter& filter);
    /// The number of the last entry.
    Result<std::int64_t> head();

private:
    Result<void> open();
    Result<Page> read_within(std::int64_t after, const TypeFilter& filter);

    std::filesystem::path file_;
    std::optional<Database> database_;
    Statement begin_, end_, start_, head_, entries_;
};

}  // namespace gantry::gateway::events
