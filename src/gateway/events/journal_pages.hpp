#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gateway/events/database.hpp"
#include "gateway/events/type_filter.hpp"

namespace gantry::gateway::events {

/// The journal page by page, as server-sent events whose ids are the entries' numbers. Over a connection of its own
/// that only reads: whoever writes is not kept. Used by one thread at a time.
class JournalPages {
public:
    explicit JournalPages(const std::filesystem::path& folder);

    struct Page {
        std::string events;
        /// The last entry that was looked at: where the next page begins.
        std::int64_t last = 0;
        /// Entries that came after the one asked for and are not there any more.
        std::int64_t lost = 0;
        /// The journal's last entry at that moment.
        std::int64_t head = 0;
    };
    /// What came after entry `after`; bounded, so that more may follow when `last` is not `head`.
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
