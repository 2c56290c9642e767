#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gateway/events/event_stream.hpp"
#include "gateway/events/journal_pages.hpp"
#include "gateway/events/type_filter.hpp"
#include "gateway/events/writer.hpp"
#include "io/worker.hpp"

namespace gantry::gateway::events {

/// Follows a journal while it is written, for any number of readers: each at its own pace, from the file, so that a
/// slow reader costs no more than its position. Pages are read on a dedicated thread, started with the first reader.
/// Belongs to one loop.
class JournalTail {
public:
    /// The writer must outlive the tail.
    JournalTail(Writer& writer, const std::filesystem::path& folder);

    Task<Result<JournalPages::Page>> read(const Context& ctx, std::int64_t after, TypeFilter filter);
    Task<Result<std::int64_t>> head(const Context& ctx);

    Writer& writer() noexcept { return writer_; }

private:
    Worker& worker();

    Writer& writer_;
    std::shared_ptr<JournalPages> pages_;  // used on the worker's thread only
    std::optional<Worker> worker_;
};

/// One reader's entries: from a position on, then as they are committed, without gaps or duplicates. Sends `event:
/// gantry.feed.missed` where entries no longer exist, and `event: gantry.feed.stalled` while entries cannot be written
/// or read.
class JournalEvents final : public Pieces {
public:
    JournalEvents(JournalTail& tail, TypeFilter filter);
    ~JournalEvents() override;
    JournalEvents(const JournalEvents&) = delete;
    JournalEvents& operator=(const JournalEvents&) = delete;

    /// Call first. `after`: the last entry the reader has, as text; empty: start with the next entry. Text that is not
    /// an entry number is reported as a gap.
    Task<Result<void>> begin(const Context& ctx, std::string after);
    void end();

    Task<Result<std::optional<std::string>>> next(const Context& ctx) override;

private:
    std::string take_stalled(std::string_view why);

    JournalTail& tail_;
    TypeFilter filter_;
    std::int64_t after_ = 0;
    std::string first_;  // sent before everything else
    bool told_stalled_ = false;
    bool ended_ = false;
};

}  // namespace gantry::gateway::events
