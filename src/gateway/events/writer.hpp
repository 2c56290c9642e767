#pragma once

#include <filesystem>
#include <functional>

#include "gateway/events/bell.hpp"
#include "gateway/events/bus.hpp"
#include "gateway/events/journal_thread.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/record_queue.hpp"
#include "gateway/events/write_progress.hpp"

namespace gantry::gateway::events {

/// The loop's side of the journal: queues records for the journal's thread, makes callers wait for theirs where the
/// operator wants that, and asks the journal questions. When the queue is full, records are counted instead of stored,
/// and the count is the first thing to be stored afterwards.
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
    ~Writer() override = default;
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
        return options_.on_failure == OnAuditFailure::kRefuse ? progress_.trouble() : nullptr;
    }

    struct Counts {
        std::uint64_t taken = 0;    // into the queue
        std::uint64_t kept = 0;     // on disk
        std::uint64_t dropped = 0;  // lost, because the queue was full
        std::uint64_t commits = 0;
        std::uint64_t failures = 0;
        bool failing = false;
    };
    /// On the loop.
    Counts counts() const noexcept;

    // For readers that follow committed entries; on the loop.

    /// Reference-counted: while anyone watches, each commit and each failure is reported to the loop.
    void watch_commits(bool on) noexcept { thread_.watch_commits(on); }
    /// Writes what has gathered to the journal now; an error: that is currently impossible.
    Task<Result<void>> flush(const Context& ctx);
    /// Incremented with every commit and every failure reported.
    std::uint64_t changes() const noexcept { return progress_.changes(); }
    /// Returns when changes() may have advanced.
    Task<Result<void>> changed(const Context& ctx) { return progress_.changed(ctx); }
    void wake_watchers() noexcept { progress_.wake_watchers(); }
    /// Why nothing can be written at present; null: writing works.
    const Error* trouble() const noexcept { return progress_.trouble(); }

    /// Runs `job` on the journal's thread, between two batches. kInternal while the journal cannot be opened.
    template <class T>
    Task<Result<T>> ask(const Context& ctx, std::move_only_function<Result<T>(Journal&)> job) {
        if (!running_) co_return fail(ErrorCode::kCancelled, "the journal is closed");
        co_return co_await thread_.jobs().template ask<T>(ctx, std::move(job));
    }

private:
    void on_report(const JournalThread::Report& report);
    void note(std::string_view line) const;

    std::function<void(std::string_view)> note_;
    std::function<void()> on_news_;
    AuditOptions options_;
    WriteProgress progress_;
    Bell bell_;
    RecordQueue queue_;
    JournalThread thread_;
    bool running_ = false;
};

}  // namespace gantry::gateway::events
