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

/// Moves records from the loop to the journal, on a dedicated thread: they gather in a ring, and one commit stores all
/// that have gathered. Records that cannot be written stay in the ring and are retried; when the ring is full, records
/// are counted instead of stored, and the count is the first thing to be stored afterwards.
class Writer final : public DurableSink {
public:
    struct Parts {
        std::filesystem::path folder;
        JournalOptions journal;
        /// Reports one line to the operator. On the loop.
        std::function<void(std::string_view)> note = {};
        /// Called when there are new deliveries. On the loop.
        std::function<void()> on_news = {};
    };
    Writer(Loop& loop, AuditOptions options, Parts parts);
    /// Only after stop(), or if start() was never called.
    ~Writer() override;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Opens the journal. If that fails: an error with OnAuditFailure::kRefuse, otherwise reported and retried.
    Result<void> start();
    /// Flushes what has gathered, as far as the store permits, and ends the thread.
    Task<void> stop();

    /// Changes consumers and options for records from now on: all of `options` but queue_bytes and AuditMode::kOff,
    /// which require another writer or none.
    void configure(const AuditOptions& options, std::vector<Consumer> consumers);

    Recorder::Ticket keep(const Record& record) noexcept override;
    Task<Result<void>> kept(const Context& ctx, Recorder::Ticket ticket) override;
    const Error* refusal() const noexcept override {
        return failing_ && options_.on_failure == OnAuditFailure::kRefuse ? &*failing_ : nullptr;
    }

    struct Counts {
        std::uint64_t taken = 0;    // into the ring
        std::uint64_t kept = 0;     // on disk
        std::uint64_t dropped = 0;  // lost, because the ring was full
        std::uint64_t commits = 0;
        std::uint64_t failures = 0;
        bool failing = false;
    };
    /// On the loop.
    Counts counts() const noexcept;

    // For readers that follow committed entries; on the loop.

    /// Reference-counted: while anyone watches, each commit and each failure is reported to the loop.
    void watch_commits(bool on) noexcept { watchers_.fetch_add(on ? 1 : -1, std::memory_order_seq_cst); }
    /// Writes what has gathered to the journal now; an error: that is currently impossible.
    Task<Result<void>> flush(const Context& ctx);
    /// Incremented with every commit and every failure reported.
    std::uint64_t changes() const noexcept { return changes_; }
    /// Returns when changes() may have advanced.
    Task<Result<void>> changed(const Context& ctx) { return changed_.wait(ctx); }
    void wake_watchers() noexcept { changed_.pulse(); }
    /// Why nothing can be written at present; null: writing works.
    const Error* trouble() const noexcept { return failing_ ? &*failing_ : nullptr; }

    /// Runs `job` on the journal's thread, between two batches. kInternal while the journal cannot be opened.
    template <class T>
    Task<Result<T>> ask(const Context& ctx, std::move_only_function<Result<T>(Journal&)> job);

private:
    using Job = std::move_only_function<void(Journal*)>;

    // Writer thread.
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
    Parts parts_;  // its journal belongs to the thread once that runs
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

    // Used by the thread only.
    AuditOptions writing_;  // the thread's copy
    std::optional<Journal> journal_;
    std::uint64_t stored_ = 0;
    std::uint64_t told_dropped_ = 0;
    std::uint64_t telling_dropped_ = 0;  // in the batch being committed
    bool told_missing_ = false;
    bool broken_ = false;
    TimePoint try_again_{};
    TimePoint prune_next_{};

    // Used on the loop only.
    AuditOptions options_;
    std::uint64_t taken_ = 0;
    std::uint64_t on_disk_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t given_up_ = 0;  // tickets up to this one could not be stored in time
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
