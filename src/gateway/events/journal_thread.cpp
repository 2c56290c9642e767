#include "gateway/events/journal_thread.hpp"

#include <cassert>

namespace gantry::gateway::events {
namespace {

constexpr Duration kPruneEvery = std::chrono::minutes(1);
/// While there is more to prune: soon, between batches.
constexpr Duration kPruneAgain = milliseconds(100);

}  // namespace

JournalThread::JournalThread(Parts parts, AuditOptions options)
    : loop_(parts.loop),
      bell_(parts.bell),
      queue_(parts.queue),
      report_(std::move(parts.report)),
      jobs_(loop_, bell_),
      options_(options),
      batches_(queue_, std::move(parts.folder), std::move(parts.journal)) {}

JournalThread::~JournalThread() {
    assert(!thread_.joinable() && "stop() comes first");
}

Result<std::string> JournalThread::start() {
    std::string missing;
    if (auto opened = batches_.open()) {
        missing = batches_.journal()->missing_at_open();
    } else if (options_.on_failure == OnAuditFailure::kRefuse) {
        return fail(opened.error().within("what happens cannot be recorded (audit.on_failure: refuse)"));
    } else {
        on_failed(opened.error());
    }
    thread_ = std::thread([this] { serve(); });
    return missing;
}

Task<void> JournalThread::stop() {
    stopping_ = true;
    bell_.ring();
    auto waited = co_await ended_.wait(Context::background());
    static_cast<void>(waited);
    thread_.join();
}

void JournalThread::configure(AuditOptions next, std::vector<Consumer> consumers) {
    jobs_.push([this, next, consumers = std::move(consumers)](Journal*) mutable {
        // Records made before the change still go to the old consumers.
        store_all();
        options_ = next;
        batches_.configure(std::move(consumers), next.retain, next.retain_entries);
        prune_next_ = {};
        // Records of callers that wait since the loop changed its mode may have been stored before the thread changed
        // its own, and then without a notification.
        if (!health_.broken()) post({.stored = batches_.stored()});
    });
}

void JournalThread::serve() {
    while (true) {
        const bool last = stopping_;
        run_jobs();
        if (last || health_.may_write(SteadyClock::now())) store();
        if (!queue_.empty() && !health_.broken()) continue;  // more than fits one commit
        if (last) break;
        prune();
        rest();
        gather();
    }
    run_jobs();
    batches_.close();
    loop_.post([this] { ended_.set(); });
}

void JournalThread::run_jobs() {
    // The journal is looked up for each job: an earlier one may have closed or opened it.
    for (JournalJobs::Job& job : jobs_.take()) job(batches_.journal());
}

void JournalThread::store() {
    if (queue_.empty() && !health_.broken()) return;
    auto stored = batches_.open();
    if (stored) stored = batches_.store();
    if (stored) {
        on_stored();
    } else {
        on_failed(stored.error());
    }
}

bool JournalThread::store_all() {
    while (!queue_.empty() && !health_.broken()) store();
    return !health_.broken();
}

void JournalThread::on_stored() {
    const bool recovered = health_.on_stored();
    stored_.store(batches_.stored(), std::memory_order_relaxed);
    commits_.fetch_add(1, std::memory_order_relaxed);
    const bool news = batches_.journal()->has_news();
    // In async mode there are usually no waiters, so no notification is posted.
    const bool watched = watchers_.load(std::memory_order_seq_cst) > 0;
    if (options_.mode == AuditMode::kBeforeAnswer || news || recovered || watched)
        post({.stored = batches_.stored(), .news = news});
}

void JournalThread::on_failed(const Error& error) {
    failures_.fetch_add(1, std::memory_order_relaxed);
    health_.on_failed(SteadyClock::now(), options_.retry);
    if (StoreHealth::must_reopen(error)) batches_.close();
    post({.trouble = error});
}

void JournalThread::prune() {
    if (batches_.journal() == nullptr || health_.broken() || SteadyClock::now() < prune_next_) return;
    const auto gone = batches_.prune();
    prune_next_ = SteadyClock::now() + (gone && *gone > 0 ? kPruneAgain : kPruneEvery);
}

/// Sleeps until there is something to do. While the store is broken, new records do not wake the thread. Clears the
/// bell, also for jobs that arrived since run_jobs().
void JournalThread::rest() {
    const bool broken = health_.broken();
    if (!broken) bell_.fall_asleep();
    if ((broken || queue_.empty()) && !stopping_)
        bell_.wait((broken ? health_.next_attempt() : prune_next_) - SteadyClock::now());
    bell_.wake_up();
}

/// Records arriving within the configured time share the commit. Jobs and stopping do not wait for it.
void JournalThread::gather() {
    if (options_.mode != AuditMode::kBeforeAnswer && !health_.broken() && !stopping_ && jobs_.empty())
        bell_.wait(options_.gather);
}

void JournalThread::post(Report report) {
    loop_.post([this, report = std::move(report)] { report_(report); });
}

}  // namespace gantry::gateway::events
