#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "auth/store/worker.hpp"
#include "gateway/events/event_stream.hpp"
#include "gateway/events/journal_pages.hpp"
#include "gateway/events/type_filter.hpp"
#include "gateway/events/writer.hpp"

namespace gantry::gateway::events {

/// Reads after a journal that is being written, for any number of readers: each at its own pace, from the file, so that
/// a slow one holds nothing but its place. Pages are read on a thread of its own, begun with the first reader. Belongs
/// to one loop.
class JournalTail {
public:
    /// The writer must outlive it.
    JournalTail(Writer& writer, const std::filesystem::path& folder);

    Task<Result<JournalPages::Page>> read(const Context& ctx, std::int64_t after, TypeFilter filter);
    Task<Result<std::int64_t>> head(const Context& ctx);

    Writer& writer() noexcept { return writer_; }

private:
    auth::Worker& worker();

    Writer& writer_;
    std::shared_ptr<JournalPages> pages_;  // used on the worker's thread alone
    std::optional<auth::Worker> worker_;
};

/// One reader's entries: from a place on, then as they are committed. Without gap and without repetition; where entries
/// are not there any more it says so (`event: gantry.feed.missed`), and where none can be written or read just now
/// (`event: gantry.feed.stalled`).
class JournalEvents final : public Pieces {
public:
    JournalEvents(JournalTail& tail, TypeFilter filter);
    ~JournalEvents() override;
    JournalEvents(const JournalEvents&) = delete;
    JournalEvents& operator=(const JournalEvents&) = delete;

    /// `after`: the last entry the reader has, as text; empty: it begins with what comes now. What is no entry's number
    /// is told as a gap. Comes first.
    Task<Result<void>> begin(const Context& ctx, std::string after);
    void end();

    Task<Result<std::optional<std::string>>> next(const Context& ctx) override;

private:
    std::string take_stalled(std::string_view why);

    JournalTail& tail_;
    TypeFilter filter_;
    std::int64_t after_ = 0;
    std::string first_;  // said before everything else
    bool told_stalled_ = false;
    bool ended_ = false;
};

}  // namespace gantry::gateway::events
