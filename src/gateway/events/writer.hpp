#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "gateway/events/bus.hpp"
#include "gateway/events/journal.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/ring.hpp"
#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// Brings records from the loop to the journal, on a thread of its own: they gather in a ring, and one commit keeps all
/// that have gathered. What cannot be written stays in the ring and is tried again; when the ring is full, records are
/// counted instead of kept, and the count is the first thing to be kept afterwards.
class Writer final : public Keeper {
public:
    struct Parts {
        std::filesystem::path folder;
        JournalOptions journal;
        /// One line that somebody should read. On the loop.
        std::function<void(std::string_view)> note = {};
        /// Some consumer has something to fetch. On the loop.
        std::function<void()> on_news = {};
    };
    Writer(Loop& loop, AuditOptions options, Parts parts);
    /// Only after stop(), or without start().
    ~Writer() override;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Opens the journal. When that fails: an error with OnAuditFailure::kRefuse, else it is told and tried again.
    Result<void> start();
    /// Keeps what has gathered, as far as the store lets it, and ends the thread.
    Task<void> stop();

    /// Who is told of what is recorded from now on, and how it is kept: all of `options` but queue_bytes and
    /// AuditMode's kOff, for which another writer or none is needed.
    void configure(const AuditOptions& options, std::vector<Consumer> consumers);

    Recorder::Ticket keep(const Record& record) noexcept override;
    Task<Result<void>> kept(const Context& ctx, Recorder::Ticket ticket) override;
    const Error* refusal() const noexcept override {
        return failing_ && options_.on_failure == OnAuditFailure::kRefuse ? &*failing_ : nullptr;
    }

    struct Counts {
        std::uint64_t taken = 0;    // into the ring
        std::uint64_t kept = 0;     // on disk
        std::uint64_t dropped = 0;  // neither, for want of room
        std::uint64_t commits = 0;
        std::uint64_t failures = 0;
        bool failing = false;
    };
    /// On the loop.
    Counts counts() const noexcept;

    // For whoever reads after what is committed; on the loop.

    /// Counted: while somebody watches, each commit and each trouble is told to the loop.
    void watch_commits(bool on) noexcept { watchers_.fetch_add(on ? 1 : -1, std::memory_order_seq_cst); }
    /// Brings to the journal what has gathered, now; an error: it cannot be just now.
    Task<Result<void>> flush(const Context& ctx);
    /// Moves on with every commit and every trouble that was told.
    std::uint64_t changes() const noexcept { return changes_; }
    /// Wakes up when changes() may have moved on.
    Task<Result<void>> changed(const Context& ctx) { return changed_.wait(ctx); }
    void wake_watchers() noexcept { changed_.pulse(); }
    /// Why nothing can be written just now; null: it can.
    const Error* trouble() const noexcept { return failing_ ? &*failing_ : nullptr; }

    /// Runs `job` on the journal's thread, between two batches. kInternal while the journal cannot be opened.
    template <class T>
    Task<Result<T>> ask(const Context& ctx, std::move_only_function<Result<T>(Journal&)> job);

private:
    using Job = std::move_only_function<void(Journal*)>;

    // The thread.
    void serve();
    bool open();
    void run_jobs();
    bool has_jobs();
    Result<std::uint64_t> store_batch();
    Result<std::uint64_t> append_gathered();
    Result<void> append_own(std::string_view type, JsonObject data);
    void store();
    void store_all();
    void on_stored(std::uint64_t count);
    void on_failed(const Error& error);
    void prune();
    void rest();
    void listen(Duration most) noexcept;

    void push(Job job);
    void wake() noexcept;
    // On the loop.
    void settle(std::uint64_t kept, std::optional<Error> trouble, bool news);

    Loop& loop_;
    Parts parts_;  // its journal is the thread's once that runs
    Ring ring_;
    int bell_ = -1;
    std::atomic<bool> asleep_ = false;
    std::atomic<bool> stopping_ = false;
    std::atomic<std::uint64_t> dropped_ = 0;
    std::atomic<std::uint64_t> commits_ = 0;
    std::atomic<std::uint64_t> failures_ = 0;
    std::atomic<std::uint64_t> kept_count_ = 0;
    std::atomic<int> watchers_ = 0;
    std::mutex jobs_mutex_;
    std::deque<Job> jobs_;
    std::thread thread_;

    // Touched by the thread alone.
    AuditOptions writing_;  // as the thread knows them
    std::optional<Journal> journal_;
    std::uint64_t stored_ = 0;
    std::uint64_t told_dropped_ = 0;
    std::uint64_t telling_dropped_ = 0;  // in the batch that is being committed
    bool told_missing_ = false;
    bool broken_ = false;
    TimePoint try_again_{};
    TimePoint prune_next_{};

    // Touched on the loop alone.
    AuditOptions options_;
    std::uint64_t taken_ = 0;
    std::uint64_t on_disk_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t given_up_ = 0;  // tickets up to this one could not be kept in time
    std::optional<Error> failing_;
    Event changed_;
    Event ended_;
    bool running_ = false;
};

template <class T>
Task<Result<T>> Writer::ask(const Context& ctx, std::move_only_function<Result<T>(Journal&)> job) {
    struct Answer {
        Event done;
        std::optional<Result<T>> value;
    };
    const auto answer = std::make_shared<Answer>();
    if (!running_) co_return fail(ErrorCode::kCancelled, "the journal is closed");
    push([this, answer, job = std::move(job)](Journal* journal) mutable {
        Result<T> value =
            journal != nullptr ? job(*journal) : fail(ErrorCode::kInternal, "the journal cannot be opened");
        loop_.post([answer, value = std::move(value)]() mutable {
            answer->value = std::move(value);
            answer->done.set();
        });
    });
    if (auto waited = co_await answer->done.wait(ctx); !waited) co_return std::unexpected(waited.error());
    co_return *std::move(answer->value);
}

}  // namespace gantry::gateway::events
