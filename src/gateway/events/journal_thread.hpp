#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "gateway/events/batch_store.hpp"
#include "gateway/events/bell.hpp"
#include "gateway/events/journal_jobs.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/record_queue.hpp"
#include "gateway/events/store_health.hpp"

namespace gantry::gateway::events {

/// The thread that owns the journal: stores what has gathered in the queue, runs jobs between two batches, retries
/// while the store fails, and deletes what is beyond retention.
class JournalThread {
public:
    struct Report {
        std::uint64_t stored = 0;  // records on disk
        std::optional<Error> trouble = {};
        bool news = false;  // there are new deliveries
    };
    struct Parts {
        Loop& loop;
        Bell& bell;
        RecordQueue& queue;
        std::filesystem::path folder;
        JournalOptions journal;
        /// Called on the loop after a failure, and after a commit if anything waits for it.
        std::function<void(const Report&)> report;
    };
    JournalThread(Parts parts, AuditOptions options);
    /// Only after stop(), or if start() was never called.
    ~JournalThread();
    JournalThread(const JournalThread&) = delete;
    JournalThread& operator=(const JournalThread&) = delete;

    // On the loop.

    /// Opens the journal and starts the thread. Returns what is missing at the journal's end; empty: nothing. A failure
    /// to open is an error with OnAuditFailure::kRefuse, otherwise reported and retried.
    Result<std::string> start();
    bool running() const noexcept { return thread_.joinable(); }
    /// Flushes what has gathered, as far as the store permits, and ends the thread.
    Task<void> stop();
    /// Takes effect after the records queued so far, in FIFO order with the jobs.
    void configure(AuditOptions next, std::vector<Consumer> consumers);
    JournalJobs& jobs() noexcept { return jobs_; }
    /// Reference-counted: while anyone watches, each commit is reported.
    void watch_commits(bool on) noexcept { watchers_.fetch_add(on ? 1 : -1, std::memory_order_seq_cst); }

    // In a job.

    /// Stores all that is queued. False: that is currently impossible.
    bool store_all();

    // Any thread.

    std::uint64_t stored() const noexcept { return stored_.load(std::memory_order_relaxed); }
    std::uint64_t commits() const noexcept { return commits_.load(std::memory_order_relaxed); }
    std::uint64_t failures() const noexcept { return failures_.load(std::memory_order_relaxed); }

private:
    void serve();
    void run_jobs();
    void store();
    void on_stored();
    void on_failed(const Error& error);
    void prune();
    void rest();
    void gather();
    void post(Report report);

    Loop& loop_;
    Bell& bell_;
    RecordQueue& queue_;
    std::function<void(const Report&)> report_;
    JournalJobs jobs_;
    std::atomic<bool> stopping_ = false;
    std::atomic<int> watchers_ = 0;
    std::atomic<std::uint64_t> stored_ = 0;
    std::atomic<std::uint64_t> commits_ = 0;
    std::atomic<std::uint64_t> failures_ = 0;
    Event ended_;  // on the loop

    // The thread's own once it runs.
    AuditOptions options_;
    BatchStore batches_;
    StoreHealth health_;
    TimePoint prune_next_{};

    std::thread thread_;
};

}  // namespace gantry::gateway::events
