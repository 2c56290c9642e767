#include "gateway/events/writer.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>

#include "base/try.hpp"

namespace gantry::gateway::events {
namespace {

/// Records per commit; more would delay waiting answers too long.
constexpr std::uint64_t kMostAtOnce = 8192;
constexpr Duration kPruneEvery = std::chrono::minutes(1);

}  // namespace

Writer::Writer(Loop& loop, AuditOptions options, Parts parts)
    : loop_(loop),
      parts_(std::move(parts)),
      ring_(options.queue_bytes),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      writing_(options),
      options_(options) {}

Writer::~Writer() {
    assert(!thread_.joinable() && "stop() comes first");
    ::close(bell_);
}

Result<void> Writer::start() {
    if (auto opened = Journal::open(parts_.folder, parts_.journal)) {
        journal_ = *std::move(opened);
        if (!journal_->missing_at_open().empty() && parts_.note) parts_.note("audit: " + journal_->missing_at_open());
    } else if (options_.on_failure == OnAuditFailure::kRefuse) {
        return fail(opened.error().within("what happens cannot be recorded (audit.on_failure: refuse)"));
    } else {
        on_failed(opened.error());
    }
    running_ = true;
    thread_ = std::thread([this] { serve(); });
    return {};
}

Task<void> Writer::stop() {
    if (!thread_.joinable()) co_return;
    running_ = false;
    stopping_ = true;
    wake();
    auto waited = co_await ended_.wait(Context::background());
    static_cast<void>(waited);
    thread_.join();
    if (taken_ > stored_ && parts_.note)
        parts_.note(std::to_string(taken_ - stored_) + " records could not be kept before the end");
    changed_.pulse();
}

void Writer::configure(const AuditOptions& options, std::vector<Consumer> consumers) {
    const AuditMode mode = options.mode == AuditMode::kOff ? options_.mode : options.mode;
    options_ = options;
    options_.mode = mode;
    push([this, next = options_, consumers = std::move(consumers)](Journal*) mutable {
        // Records made before the change still go to the old consumers.
        store_all();
        writing_ = next;
        parts_.journal.consumers = std::move(consumers);
        parts_.journal.retain = next.retain;
        parts_.journal.retain_entries = next.retain_entries;
        prune_next_ = {};
        if (journal_) journal_->configure(parts_.journal.consumers, next.retain, next.retain_entries);
        // Records of callers that wait since the loop changed its mode may have been stored before the thread changed
        // its own, and then without a notification.
        if (!broken_) loop_.post([this, kept = stored_] { settle(kept, std::nullopt, false); });
    });
}

Task<Result<void>> Writer::flush(const Context& ctx) {
    return ask<void>(ctx, [this](Journal&) -> Result<void> {
        store_all();
        if (broken_) return fail(ErrorCode::kInternal, "what happens cannot be recorded now");
        return {};
    });
}

Recorder::Ticket Writer::keep(const Record& record) noexcept {
    char* place = ring_.claim(packed_size(record));
    if (place == nullptr) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        // In before-answer mode a record that is not stored must fail the answer.
        const bool strict = options_.mode == AuditMode::kBeforeAnswer && options_.on_failure == OnAuditFailure::kRefuse;
        return strict ? ~Recorder::Ticket{0} : 0;
    }
    pack(record, place);
    ring_.publish();
    ++taken_;
    if (asleep_.load(std::memory_order_seq_cst)) wake();
    return options_.mode == AuditMode::kBeforeAnswer ? taken_ : 0;
}

Task<Result<void>> Writer::kept(const Context& ctx, Recorder::Ticket ticket) {
    if (ticket == ~Recorder::Ticket{0})
        co_return fail(ErrorCode::kLimit, "the call ran, but there was no room to record it");
    while (on_disk_ < ticket && given_up_ < ticket && running_) {
        if (auto waited = co_await changed_.wait(ctx); !waited) co_return std::unexpected(waited.error());
    }
    if (on_disk_ >= ticket || options_.on_failure == OnAuditFailure::kContinue) co_return Result<void>();
    co_return fail(ErrorCode::kInternal, "the call ran, but could not be recorded, so its answer is withheld");
}

Writer::Counts Writer::counts() const noexcept {
    return {.taken = taken_,
            .kept = kept_count_.load(std::memory_order_relaxed),
            .dropped = dropped_.load(std::memory_order_relaxed),
            .commits = commits_.load(std::memory_order_relaxed),
            .failures = failures_.load(std::memory_order_relaxed),
            .failing = failing_.has_value()};
}

void Writer::push(Job job) {
    {
        const std::lock_guard guard(jobs_mutex_);
        jobs_.push_back(std::move(job));
    }
    wake();
}

void Writer::wake() noexcept {
    asleep_.store(false, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(bell_, &one, sizeof one);
}

void Writer::serve() {
    while (true) {
        const bool last = stopping_;
        run_jobs();
        if (!broken_ || last || SteadyClock::now() >= try_again_) store();
        if (!ring_.empty() && !broken_) continue;  // more than fits one commit
        if (last) break;
        prune();
        rest();
        // Records arriving within `gather` share the commit. Jobs and stopping do not wait for it.
        if (writing_.mode != AuditMode::kBeforeAnswer && !broken_ && !stopping_ && !has_jobs()) listen(writing_.gather);
    }
    run_jobs();
    journal_.reset();
    loop_.post([this] { ended_.set(); });
}

/// Sleeps until there is something to do. While the store is broken, new records do not wake the thread. Clears the
/// bell, also for jobs that arrived since run_jobs().
void Writer::rest() {
    if (!broken_) asleep_.store(true, std::memory_order_seq_cst);
    if ((broken_ || ring_.empty()) && !stopping_) listen((broken_ ? try_again_ : prune_next_) - SteadyClock::now());
    asleep_.store(false, std::memory_order_seq_cst);
    std::uint64_t rings = 0;
    [[maybe_unused]] const auto drained = ::read(bell_, &rings, sizeof rings);
}

void Writer::listen(Duration most) noexcept {
    const auto wait = std::max(std::chrono::ceil<milliseconds>(most), milliseconds(0));
    pollfd bell{.fd = bell_, .events = POLLIN, .revents = 0};
    ::poll(&bell, 1, static_cast<int>(wait.count()));
}

void Writer::run_jobs() {
    std::deque<Job> jobs;
    {
        const std::lock_guard guard(jobs_mutex_);
        jobs.swap(jobs_);
    }
    // Looked up for each job: an earlier one may have closed or opened it.
    for (Job& job : jobs) job(journal_ ? &*journal_ : nullptr);
}

bool Writer::has_jobs() {
    const std::lock_guard guard(jobs_mutex_);
    return !jobs_.empty();
}

bool Writer::open() {
    if (journal_) return true;
    auto opened = Journal::open(parts_.folder, parts_.journal);
    if (!opened) {
        on_failed(opened.error());
        return false;
    }
    journal_ = *std::move(opened);
    told_missing_ = false;
    return true;
}

void Writer::store() {
    if (ring_.empty() && !broken_) return;
    if (!open()) return;
    if (auto stored = store_batch()) {
        on_stored(*stored);
    } else {
        on_failed(stored.error());
    }
}

void Writer::store_all() {
    while (!ring_.empty() && !broken_) store();
}

Result<std::uint64_t> Writer::store_batch() {
    if (auto begun = journal_->begin(); !begun) return fail(begun.error());
    auto appended = append_gathered();
    if (appended) {
        if (auto committed = journal_->commit(); !committed) appended = fail(committed.error());
    }
    if (!appended) {
        journal_->rollback();
        ring_.rewind();
    }
    return appended;
}

Result<std::uint64_t> Writer::append_gathered() {
    if (!told_missing_ && !journal_->missing_at_open().empty())
        GANTRY_CHECK(append_own(event_type::kChainBroken, {{"what", journal_->missing_at_open()}}));
    const std::uint64_t dropped = dropped_.load(std::memory_order_relaxed);
    if (dropped != told_dropped_)
        GANTRY_CHECK(append_own(event_type::kRecordsLost, {{"count", dropped - told_dropped_}}));
    // Records carry steady time; the offset to the wall clock is determined once per batch.
    const std::int64_t now = unix_micros();
    const TimePoint steady_now = SteadyClock::now();
    std::uint64_t count = 0;
    while (count < kMostAtOnce) {
        const auto frame = ring_.take();
        if (!frame) break;
        const Record record = unpack(*frame);
        const auto ago = std::chrono::duration_cast<std::chrono::microseconds>(steady_now - record.at);
        GANTRY_CHECK(journal_->append(record, now - ago.count()));
        ++count;
    }
    telling_dropped_ = dropped;
    return count;
}

Result<void> Writer::append_own(std::string_view type, JsonObject data) {
    const std::string text = Json(std::move(data)).dump();
    const Record record = record_of(GatewayEvent{.type = type, .subject = "audit"}, text);
    return journal_->append(record, unix_micros());
}

void Writer::on_stored(std::uint64_t count) {
    ring_.release();
    stored_ += count;
    told_missing_ = true;
    told_dropped_ = telling_dropped_;
    const bool recovered = std::exchange(broken_, false);
    kept_count_.store(stored_, std::memory_order_relaxed);
    commits_.fetch_add(1, std::memory_order_relaxed);
    const bool news = journal_->has_news();
    // In async mode there are usually no waiters, so no notification is posted.
    const bool watched = watchers_.load(std::memory_order_seq_cst) > 0;
    if (writing_.mode == AuditMode::kBeforeAnswer || news || recovered || watched)
        loop_.post([this, kept = stored_, news] { settle(kept, std::nullopt, news); });
}

void Writer::on_failed(const Error& error) {
    failures_.fetch_add(1, std::memory_order_relaxed);
    broken_ = true;
    try_again_ = SteadyClock::now() + writing_.retry;
    // A lock is temporary; other errors may require the file to be reopened.
    if (error.code() != ErrorCode::kTimeout) journal_.reset();
    loop_.post([this, error] { settle(0, error, false); });
}

void Writer::prune() {
    if (!journal_ || broken_ || SteadyClock::now() < prune_next_) return;
    const auto gone = journal_->prune(unix_micros());
    // While there is more to prune, continue soon, between batches.
    prune_next_ = SteadyClock::now() + (gone && *gone > 0 ? Duration(milliseconds(100)) : kPruneEvery);
}

void Writer::settle(std::uint64_t kept, std::optional<Error> trouble, bool news) {
    ++changes_;
    if (trouble) {
        if (!failing_ && parts_.note) parts_.note("what happens cannot be recorded: " + trouble->message());
        failing_ =
            Error(ErrorCode::kInternal, "what happens cannot be recorded, so nothing may run: " + trouble->message())
                .retryable(true);
        // Waiters from before the failure are not kept waiting any longer.
        given_up_ = taken_;
    } else {
        if (failing_ && parts_.note) parts_.note("what happens is recorded again");
        failing_.reset();
        on_disk_ = std::max(on_disk_, kept);
    }
    changed_.pulse();
    if (news && parts_.on_news) parts_.on_news();
}

}  // namespace gantry::gateway::events
