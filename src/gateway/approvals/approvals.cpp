#include "gateway/approvals/approvals.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/approvals/questions.hpp"
#include "gateway/policy/approval_rules.hpp"
#include "gateway/ports/source.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {
namespace {

/// Interval of progress notifications to a caller whose call is waiting.
constexpr Duration kSignOfLife = seconds(5);
/// Longest and shortest interval between looks at the store when it reports no change.
constexpr Duration kLookAnyway = std::chrono::minutes(1);
constexpr Duration kLeastPause = milliseconds(20);
constexpr Duration kAfterTrouble = seconds(5);
/// Limit for a reason, which is sent to the caller and included in every event.
constexpr std::size_t kLongestReason = 1024;
constexpr const char* kNobody = "not answered in time";

/// Wall-clock time, since stored values must remain meaningful after a restart.
std::int64_t now_ms() {
    return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}
std::int64_t in_ms(Duration duration) {
    return std::chrono::duration_cast<milliseconds>(duration).count();
}

bool same_call(const PendingApproval& a, const PendingApproval& b) {
    return a.principal == b.principal && a.source == b.source && a.tool == b.tool && a.descriptor == b.descriptor &&
           a.digest == b.digest;
}

/// Truncates at a character boundary.
std::string short_reason(std::string reason) {
    if (reason.size() <= kLongestReason) return reason;
    std::size_t end = kLongestReason;
    while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0u) == 0x80u) --end;
    reason.resize(end);
    return reason;
}

}  // namespace

struct Approvals::Record {
    StoredApproval stored;
    Event news;               // answered, or gone
    std::size_t waiting = 0;  // calls of this instance; at most one
    bool kept = false;        // durable, so it may be shown and answered
    bool gone = false;        // no longer in the store: consumed by another call, or expired
    bool expired = false;     // expired while a call of this instance was waiting

    bool pending() const noexcept { return !gone && stored.state == ApprovalState::kPending; }
    bool over(std::int64_t now) const noexcept { return stored.approval.expires_ms <= now; }
};

Approvals::Approvals(ApprovalOptions options, ApprovalParts parts)
    : options_(std::move(options)), parts_(std::move(parts)), scope_(Context::background()) {}
Approvals::~Approvals() = default;

Result<void> Approvals::open() {
    GANTRY_TRY(auto kept, parts_.store.open());
    take(std::move(kept));
    return {};
}

void Approvals::follow() {
    scope_.spawn(follow_store(scope_.context()));
}

Task<void> Approvals::stop() {
    scope_.cancel();
    return scope_.join();
}

bool Approvals::resumes_approval(std::string_view state) const noexcept {
    return is_approval_state(state);
}

Task<Result<std::optional<Output>>> Approvals::obtain(const Context& ctx, const ApprovalQuestion& question,
                                                      ReplyLine& line) {
    // Only the approval timeout limits how long a person may take, not the call's deadline.
    const Context patient(Deadline::never(), ctx.cancel());
    GANTRY_CO_CHECK(co_await hear_caller(question));
    for (;;) {
        GANTRY_CO_TRY(const RecordPtr record, co_await find_or_ask(question));
        if (record->pending() && may_ask_caller(question.call) && !line.can_ask() &&
            question.call.identified.incoming.client.modern())
            co_return std::optional<Output>(approval_round(record->stored.approval));
        if (record->pending()) GANTRY_CO_CHECK(co_await wait(patient, record, question.call, line));
        GANTRY_CO_TRY(const End end, co_await conclude(record));
        if (end == End::kGoAhead) co_return std::optional<Output>();
        // An identical call at another instance has consumed the approval. Each approval covers one call, so this one
        // needs its own.
        GANTRY_CO_CHECK(patient.check());
    }
}

Task<Result<Approvals::RecordPtr>> Approvals::find_or_ask(const ApprovalQuestion& question) {
    // Another instance may have just asked about the same call.
    if (auto seen = co_await refresh(Context::background()); !seen)
        co_return fail(seen.error().within("the approvals could not be read"));
    GANTRY_CO_TRY(PendingApproval asked, describe(question));
    if (RecordPtr same = find_same(asked)) co_return same;
    GANTRY_CO_TRY(RecordPtr record, add(std::move(asked)));
    const PendingApproval& approval = record->stored.approval;
    if (auto kept = co_await parts_.store.add(Context::background(), approval); !kept) {
        records_.erase(approval.id);
        co_return fail(kept.error().within("the approval request could not be stored"));
    }
    record->kept = true;
    if (parts_.observer != nullptr) parts_.observer->approval_requested({.approval = approval});
    co_return record;
}

Result<PendingApproval> Approvals::describe(const ApprovalQuestion& question) const {
    const ResolvedCall& call = question.call;
    const IncomingCall& incoming = call.identified.incoming;
    const json::Span& arguments = incoming.view.arguments;
    if (arguments && arguments.raw().size() > options_.max_argument_bytes)
        return fail(ErrorCode::kDenied, "this call needs an approval, and its arguments are too large to be shown");
    const std::int64_t now = now_ms();
    return PendingApproval{.source = call.source->name(),
                           .tool = std::string(call.own_name),
                           .principal = call.identified.principal->id,
                           .request_id = incoming.correlation_id,
                           .arguments = arguments.is_object() ? std::string(arguments.raw()) : "{}",
                           .descriptor = crypto::base64url_encode(crypto::sha256(call.item->text)),
                           .digest = question.digest,
                           .asked_ms = now,
                           .expires_ms = now + in_ms(options_.timeout)};
}

bool Approvals::may_ask_caller(const ResolvedCall& call) const noexcept {
    const auto& elicitation = call.identified.incoming.client.capabilities.elicitation;
    return options_.caller_may_approve && call.identified.principal->id == Principal().id && elicitation &&
           elicitation->supports_form();
}

/// Handles the answer when a caller comes back from an input round.
Task<Result<void>> Approvals::hear_caller(const ApprovalQuestion& question) {
    const auto& state = question.call.resume_state;
    if (!state || !may_ask_caller(question.call)) co_return Result<void>();
    // The round may have begun at another instance.
    GANTRY_CO_CHECK(co_await refresh(Context::background()));
    GANTRY_CO_TRY(const PendingApproval asked, describe(question));
    const auto found = records_.find(approval_in(*state));
    if (found == records_.end() || !found->second->pending() || !same_call(found->second->stored.approval, asked))
        co_return Result<void>();
    const auto approved = read_round(question.call.identified.incoming.view.input_responses.raw());
    if (!approved) co_return Result<void>();  // the question is asked again
    auto settled = co_await settle(found->first,
                                   {.approved = *approved, .channel = AnswerChannel::kCaller, .who = asked.principal});
    // The question may have been answered elsewhere meanwhile; then that answer counts.
    if (!settled && settled.error().code() != ErrorCode::kNotFound) co_return fail(settled.error());
    co_return Result<void>();
}

Approvals::RecordPtr Approvals::find_same(const PendingApproval& asked) const {
    for (const auto& [id, record] : records_) {
        if (record->kept && record->waiting == 0 && !record->over(asked.asked_ms) &&
            same_call(record->stored.approval, asked))
            return record;
    }
    return nullptr;
}

Result<Approvals::RecordPtr> Approvals::add(PendingApproval asked) {
    const auto own = std::ranges::count_if(
        records_, [&asked](const auto& entry) { return entry.second->stored.approval.principal == asked.principal; });
    if (records_.size() >= options_.max_pending)
        return fail(Error(ErrorCode::kLimit, "too many calls wait for an approval: " +
                                                 std::to_string(options_.max_pending) + " (approvals.max_pending)")
                        .retryable(true));
    if (static_cast<std::size_t>(own) >= options_.max_pending_per_principal)
        return fail(Error(ErrorCode::kLimit, "too many calls of this caller wait for an approval: " +
                                                 std::to_string(options_.max_pending_per_principal) +
                                                 " (approvals.max_pending_per_principal)")
                        .retryable(true));
    GANTRY_TRY(const std::string random, crypto::random_bytes(12));
    asked.id = crypto::base64url_encode(random);
    auto record = std::make_shared<Record>();
    record->stored.approval = std::move(asked);
    records_.emplace(record->stored.approval.id, record);
    return record;
}

Task<Result<void>> Approvals::wait(const Context& ctx, RecordPtr record, const ResolvedCall& call, ReplyLine& line) {
    ++record->waiting;
    Scope helpers(ctx);
    if (may_ask_caller(call) && line.can_ask()) helpers.spawn(ask_on_line(helpers.context(), record, line));
    if (line.wants_progress()) helpers.spawn(keep_informed(helpers.context(), record->stored.approval.id, line));
    const auto left = milliseconds(std::max<std::int64_t>(0, record->stored.approval.expires_ms - now_ms()));
    auto waited = co_await record->news.wait(ctx.within(left));
    helpers.cancel();
    co_await helpers.join();
    --record->waiting;
    if (record->news.is_set()) co_return Result<void>();
    // A caller that disconnects finds the question, or its answer, when the same call comes again.
    if (ctx.cancel().cancelled()) co_return fail(waited.error());
    co_return co_await run_out(*record);
}

/// The question has timed out, as far as this instance knows.
Task<Result<void>> Approvals::run_out(Record& record) {
    const PendingApproval approval = record.stored.approval;
    GANTRY_CO_TRY(const auto removed,
                  co_await parts_.store.expire(Context::background(), approval.id, approval.expires_ms));
    if (!removed) {
        // It may have been answered at the last moment, or expired by another instance.
        GANTRY_CO_CHECK(co_await refresh(Context::background()));
        if (record.news.is_set()) co_return Result<void>();
    }
    record.gone = true;
    record.expired = true;
    records_.erase(approval.id);
    if (removed) tell_expired(approval);
    co_return Result<void>();
}

void Approvals::tell_expired(const PendingApproval& approval) {
    if (parts_.observer != nullptr)
        parts_.observer->approval_answered(
            {.approval = approval, .approved = false, .channel = AnswerChannel::kNobody, .who = {}, .reason = kNobody});
}

Task<void> Approvals::ask_on_line(Context ctx, RecordPtr record, ReplyLine& line) {
    auto result = co_await line.ask(ctx, mcp::method::kElicit, elicitation_of(record->stored.approval));
    // If the client turns out not to support the request, the other channels remain.
    const auto approved = result ? read_elicited(*result) : std::nullopt;
    if (!approved || record->news.is_set()) co_return;
    auto settled = co_await settle(
        record->stored.approval.id,
        {.approved = *approved, .channel = AnswerChannel::kCaller, .who = record->stored.approval.principal});
    if (!settled && settled.error().code() != ErrorCode::kNotFound)
        note("an approval answer could not be stored: " + settled.error().message());
}

Task<void> Approvals::keep_informed(Context ctx, std::string id, ReplyLine& line) {
    const std::string message = "waiting for approval " + id + " (gantry approvals --approve " + id + ")";
    for (int sign = 0;; ++sign) {
        line.progress(Json(JsonObject{{"progress", sign}, {"message", message}}).dump());
        if (!co_await sleep_for(ctx, kSignOfLife)) co_return;
    }
}

Task<Result<Approvals::End>> Approvals::conclude(RecordPtr record) {
    const PendingApproval& approval = record->stored.approval;
    if (record->gone) {
        if (record->expired || record->over(now_ms())) co_return fail(not_approved(approval, false, kNobody));
        co_return End::kLost;
    }
    if (record->stored.state != ApprovalState::kApproved)
        co_return fail(not_approved(approval, true, record->stored.reason));
    // Consumed before the call runs, so that a crash cannot leave the approval usable again.
    GANTRY_CO_TRY(const bool first, co_await parts_.store.use(Context::background(), approval.id));
    records_.erase(approval.id);
    co_return first ? End::kGoAhead : End::kLost;
}

Task<Result<void>> Approvals::answer(std::string id, ApprovalAnswer answer) {
    if (answer.channel == AnswerChannel::kCaller) {
        const auto found = records_.find(id);
        if (found != records_.end() && found->second->pending())
            co_return fail(ErrorCode::kDenied, "a caller cannot approve its own call this way");
    }
    co_return co_await settle(std::move(id), std::move(answer));
}

/// The answer takes effect, at every instance, once it is durable.
Task<Result<void>> Approvals::settle(std::string id, ApprovalAnswer answer) {
    const StoredAnswer kept{.approved = answer.approved,
                            .reason = short_reason(answer.reason),
                            .expires_ms = now_ms() + in_ms(answer.approved ? options_.keep : options_.sticky)};
    GANTRY_CO_TRY(const StoredApproval stored,
                  co_await parts_.store.answer(Context::background(), std::move(id), kept));
    take(stored);
    if (parts_.observer != nullptr)
        parts_.observer->approval_answered({.approval = stored.approval,
                                            .approved = answer.approved,
                                            .channel = answer.channel,
                                            .who = answer.who,
                                            .reason = stored.reason});
    co_return Result<void>();
}

std::vector<PendingApproval> Approvals::list() const {
    const std::int64_t now = now_ms();
    std::vector<PendingApproval> pending;
    for (const auto& [id, record] : records_) {
        if (record->kept && record->pending() && !record->over(now)) pending.push_back(record->stored.approval);
    }
    std::ranges::sort(pending, {}, &PendingApproval::asked_ms);
    return pending;
}

Task<Result<void>> Approvals::refresh(const Context& ctx) {
    GANTRY_CO_TRY(auto kept, co_await parts_.store.read(ctx));
    take(std::move(kept));
    co_return Result<void>();
}

Task<void> Approvals::follow_store(Context ctx) {
    while (!ctx.cancel().cancelled()) {
        // Continue on a timeout too: a question may have expired.
        auto told = co_await parts_.store.changed(ctx.within(until_next_expiry()));
        static_cast<void>(told);
        if (ctx.cancel().cancelled()) co_return;
        if (auto seen = co_await refresh(ctx); !seen && seen.error().code() != ErrorCode::kCancelled) {
            note("the approvals could not be read: " + seen.error().message());
            auto paused = co_await sleep_for(ctx, kAfterTrouble);
            static_cast<void>(paused);
        }
        co_await drop_expired();
    }
}

Duration Approvals::until_next_expiry() const {
    const std::int64_t now = now_ms();
    Duration next = kLookAnyway;
    for (const auto& [id, record] : records_) {
        if (record->waiting == 0)
            next = std::min<Duration>(next, milliseconds(record->stored.approval.expires_ms - now));
    }
    return std::max<Duration>(next, kLeastPause);
}

/// Expires questions of all instances. Calls waiting here time their own questions out.
Task<void> Approvals::drop_expired() {
    const std::int64_t now = now_ms();
    std::vector<std::string> ids;
    for (const auto& [id, record] : records_) {
        if (record->kept && record->waiting == 0 && record->over(now)) ids.push_back(id);
    }
    for (const std::string& id : ids) {
        auto removed = co_await parts_.store.expire(Context::background(), id, now);
        if (!removed) {
            note("an approval that has expired could not be removed: " + removed.error().message());
            co_return;
        }
        records_.erase(id);
        if (*removed && (*removed)->state == ApprovalState::kPending) tell_expired((*removed)->approval);
    }
}

/// Takes over a recent snapshot of the store; questions that are just being added are not in it yet.
void Approvals::take(KeptApprovals kept) {
    for (const std::string& trouble : kept.trouble) note(trouble);
    std::set<std::string_view> there;
    for (const StoredApproval& stored : kept.all) there.insert(stored.approval.id);
    std::erase_if(records_, [&there](const auto& entry) {
        Record& record = *entry.second;
        if (!record.kept || there.contains(entry.first)) return false;
        record.gone = true;
        record.news.set();
        return true;
    });
    for (StoredApproval& stored : kept.all) take(std::move(stored));
}

void Approvals::take(StoredApproval stored) {
    RecordPtr& record = records_[stored.approval.id];
    if (!record) {
        record = std::make_shared<Record>();
        record->kept = true;
    } else if (record->stored.state != ApprovalState::kPending) {
        return;  // an answer is final
    }
    record->stored = std::move(stored);
    if (record->stored.state != ApprovalState::kPending) record->news.set();
}

void Approvals::note(const std::string& text) const {
    if (parts_.note) parts_.note(text);
}

}  // namespace gantry::gateway
