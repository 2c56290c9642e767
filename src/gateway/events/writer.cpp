#include "gateway/events/writer.hpp"

#include "base/try.hpp"

namespace gantry::gateway::events {
namespace {

/// The ticket of a record that was lost although its call may not be answered without it.
constexpr Recorder::Ticket kLost = ~Recorder::Ticket{0};

}  // namespace

Writer::Writer(Loop& loop, AuditOptions options, Parts parts)
    : note_(std::move(parts.note)),
      on_news_(std::move(parts.on_news)),
      options_(options),
      queue_(options.queue_bytes, bell_),
      thread_({.loop = loop,
               .bell = bell_,
               .queue = queue_,
               .folder = std::move(parts.folder),
               .journal = std::move(parts.journal),
               .report = [this](const JournalThread::Report& report) { on_report(report); }},
              options) {}

void Writer::note(std::string_view line) const {
    if (note_) note_(line);
}

Result<void> Writer::start() {
    GANTRY_TRY(const std::string missing, thread_.start());
    if (!missing.empty()) note("audit: " + missing);
    running_ = true;
    progress_.open();
    return {};
}

Task<void> Writer::stop() {
    if (!thread_.running()) co_return;
    running_ = false;
    progress_.close();
    co_await thread_.stop();
    if (progress_.taken() > thread_.stored())
        note(std::to_string(progress_.taken() - thread_.stored()) + " records could not be kept before the end");
    progress_.wake_watchers();
}

void Writer::configure(const AuditOptions& options, std::vector<Consumer> consumers) {
    const AuditMode mode = options.mode == AuditMode::kOff ? options_.mode : options.mode;
    options_ = options;
    options_.mode = mode;
    thread_.configure(options_, std::move(consumers));
}

Task<Result<void>> Writer::flush(const Context& ctx) {
    return ask<void>(ctx, [this](Journal&) -> Result<void> {
        if (!thread_.store_all()) return fail(ErrorCode::kInternal, "what happens cannot be recorded now");
        return {};
    });
}

Recorder::Ticket Writer::keep(const Record& record) noexcept {
    const bool waits = options_.mode == AuditMode::kBeforeAnswer;
    if (!queue_.put(record)) return waits && options_.on_failure == OnAuditFailure::kRefuse ? kLost : 0;
    const Recorder::Ticket ticket = progress_.take();
    return waits ? ticket : 0;
}

Task<Result<void>> Writer::kept(const Context& ctx, Recorder::Ticket ticket) {
    if (ticket == kLost) co_return fail(ErrorCode::kLimit, "the call ran, but there was no room to record it");
    const auto state = co_await progress_.settled(ctx, ticket);
    if (!state) co_return std::unexpected(state.error());
    if (*state == WriteProgress::State::kStored || options_.on_failure == OnAuditFailure::kContinue)
        co_return Result<void>();
    co_return fail(ErrorCode::kInternal, "the call ran, but could not be recorded, so its answer is withheld");
}

Writer::Counts Writer::counts() const noexcept {
    return {.taken = progress_.taken(),
            .kept = thread_.stored(),
            .dropped = queue_.dropped(),
            .commits = thread_.commits(),
            .failures = thread_.failures(),
            .failing = progress_.trouble() != nullptr};
}

void Writer::on_report(const JournalThread::Report& report) {
    if (report.trouble) {
        if (progress_.on_failed(*report.trouble)) note("what happens cannot be recorded: " + report.trouble->message());
    } else if (progress_.on_stored(report.stored)) {
        note("what happens is recorded again");
    }
    if (report.news && on_news_) on_news_();
}

}  // namespace gantry::gateway::events
