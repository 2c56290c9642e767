#include "gateway/approvals/approvals.hpp"

#include <algorithm>
#include <chrono>

#include "auth/jose/base64url.hpp"
#include "auth/jose/digest.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/approvals/questions.hpp"
#include "gateway/policy/approval_rules.hpp"
#include "gateway/ports/source.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {
namespace {

/// How often a caller that wants progress hears that it is still waiting.
constexpr Duration kSignOfLife = seconds(5);

/// What is kept must mean the same after a restart.
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

}  // namespace

struct Approvals::Record {
    StoredApproval stored;
    Event answered;
    std::size_t waiting = 0;  // calls; at most one
    bool kept = false;        // on disk: may be shown and answered

    bool open() const noexcept { return kept && stored.state == ApprovalState::kPending; }
    std::string reason = {};
    bool by_somebody = true;
};

Approvals::Approvals(ApprovalOptions options, ApprovalParts parts)
    : options_(std::move(options)), parts_(std::move(parts)), scope_(Context::background()) {}
Approvals::~Approvals() = default;

Result<void> Approvals::open() {
    GANTRY_TRY(auto all, parts_.store.load());
    for (StoredApproval& stored : all) {
        auto record = std::make_shared<Record>();
        if (stored.state != ApprovalState::kPending) record->answered.set();
        const std::string id = stored.approval.id;
        record->stored = std::move(stored);
        record->kept = true;
        records_.emplace(id, std::move(record));
    }
    return {};
}

Task<void> Approvals::stop() {
    return scope_.join();
}

bool Approvals::needed(const ResolvedCall& call) const noexcept {
    if (options_.rules.empty() || !call.item) [[likely]]
        return false;
    const IncomingCall& incoming = call.identified.incoming;
    if (incoming.verb != Verb::kCallTool) return false;
    // A call that comes back with its source's own state was agreed to when it began.
    if (call.resume_state && !is_approval_state(*call.resume_state)) return false;
    return needs_approval(options_, parts_.groups, call.source->name(), *call.item, incoming.name);
}

Task<Result<std::optional<Output>>> Approvals::obtain(const Context& ctx, const ApprovalQuestion& question,
                                                      ReplyLine& line) {
    // People take the time they take; only the rules say how long.
    const Context patient(Deadline::never(), ctx.cancel());
    forget_expired();
    GANTRY_CO_TRY(PendingApproval asked, describe(question));
    hear_caller(question, asked);
    RecordPtr record = find_same(asked);
    if (!record) {
        GANTRY_CO_TRY(record, add(std::move(asked)));
        if (auto kept = co_await save(patient); !kept) {
            records_.erase(record->stored.approval.id);
            co_return fail(kept.error().within("the question for an approval could not be kept"));
        }
        record->kept = true;
        if (parts_.observer != nullptr) parts_.observer->approval_requested({.approval = record->stored.approval});
    }
    const bool pending = record->stored.state == ApprovalState::kPending;
    if (pending && may_ask_caller(question.call) && !line.can_ask() &&
        question.call.identified.incoming.client.modern())
        co_return std::optional<Output>(approval_round(record->stored.approval));
    if (pending) GANTRY_CO_CHECK(co_await wait(patient, record, question.call, line));
    co_return co_await conclude(patient, record);
}

Result<PendingApproval> Approvals::describe(const ApprovalQuestion& question) const {
    const ResolvedCall& call = question.call;
    const IncomingCall& incoming = call.identified.incoming;
    const json::Span& arguments = incoming.view.arguments;
    if (arguments && arguments.raw().size() > options_.max_argument_bytes)
        return fail(ErrorCode::kDenied, "this call needs an approval, and its arguments are too large to be shown");
    const std::int64_t now = now_ms();
    return PendingApproval{.source = call.source->name(),
                           .tool = call.own_name,
                           .principal = call.identified.principal->id,
                           .request_id = incoming.correlation_id,
                           .arguments = arguments.is_object() ? std::string(arguments.raw()) : "{}",
                           .descriptor = jose::base64url_encode(jose::sha256(call.item->text)),
                           .digest = question.digest,
                           .asked_ms = now,
                           .expires_ms = now + in_ms(options_.timeout)};
}

bool Approvals::may_ask_caller(const ResolvedCall& call) const noexcept {
    const auto& elicitation = call.identified.incoming.client.capabilities.elicitation;
    return options_.caller_may_approve && call.identified.principal->id == Principal().id && elicitation &&
           elicitation->supports_form();
}

/// The caller comes back from a round of input.
void Approvals::hear_caller(const ApprovalQuestion& question, const PendingApproval& asked) {
    const auto& state = question.call.resume_state;
    if (!state || !may_ask_caller(question.call)) return;
    const auto found = records_.find(approval_in(*state));
    if (found == records_.end() || !found->second->open() || !same_call(found->second->stored.approval, asked)) return;
    const auto approved = read_round(question.call.identified.incoming.view.input_responses.raw());
    if (!approved) return;  // asked again
    settle(*found->second, {.approved = *approved, .channel = AnswerChannel::kCaller, .who = asked.principal});
}

Approvals::RecordPtr Approvals::find_same(const PendingApproval& asked) const {
    for (const auto& [id, record] : records_) {
        if (record->kept && record->waiting == 0 && same_call(record->stored.approval, asked)) return record;
    }
    return nullptr;
}

Result<Approvals::RecordPtr> Approvals::add(PendingApproval asked) {
    const auto own = std::ranges::count_if(
        records_, [&asked](const auto& entry) { return entry.second->stored.approval.principal == asked.principal; });
    if (records_.size() >= options_.max_pending || static_cast<std::size_t>(own) >= options_.max_pending_per_principal)
        return fail(Error(ErrorCode::kLimit, "too many calls wait for an approval").retryable(true));
    GANTRY_TRY(const std::string random, jose::random_bytes(12));
    asked.id = jose::base64url_encode(random);
    auto record = std::make_shared<Record>();
    record->stored.approval = std::move(asked);
    records_.emplace(record->stored.approval.id, record);
    return record;
}

Task<Result<void>> Approvals::wait(const Context& ctx, RecordPtr record, const ResolvedCall& call, ReplyLine& line) {
    ++record->waiting;
    Scope helpers(ctx);
    if (may_ask_caller(call) && line.can_ask()) helpers.spawn(ask_on_line(helpers.context(), record, line));
    if (line.wants_progress()) helpers.spawn(keep_informed(helpers.context(), line));
    const auto left = milliseconds(std::max<std::int64_t>(0, record->stored.approval.expires_ms - now_ms()));
    auto waited = co_await record->answered.wait(ctx.within(left));
    helpers.cancel();
    co_await helpers.join();
    --record->waiting;
    if (record->answered.is_set()) co_return Result<void>();
    // Who leaves finds the question again, or its answer, when the same call comes.
    if (ctx.cancel().cancelled()) co_return fail(waited.error());
    settle(*record, {.channel = AnswerChannel::kNobody, .who = {}, .reason = "nobody answered in time"});
    co_return Result<void>();
}

Task<void> Approvals::ask_on_line(Context ctx, RecordPtr record, ReplyLine& line) {
    auto result = co_await line.ask(ctx, mcp::method::kElicit, elicitation_of(record->stored.approval));
    // A client that cannot be asked after all leaves it to the others.
    const auto approved = result ? read_elicited(*result) : std::nullopt;
    if (!approved || record->answered.is_set()) co_return;
    settle(*record,
           {.approved = *approved, .channel = AnswerChannel::kCaller, .who = record->stored.approval.principal});
}

Task<void> Approvals::keep_informed(Context ctx, ReplyLine& line) {
    for (int sign = 0;; ++sign) {
        line.progress(Json(JsonObject{{"progress", sign}, {"message", "waiting for an approval"}}).dump());
        if (!co_await sleep_for(ctx, kSignOfLife)) co_return;
    }
}

Task<Result<std::optional<Output>>> Approvals::conclude(const Context& ctx, RecordPtr record) {
    const PendingApproval& approval = record->stored.approval;
    if (record->stored.state == ApprovalState::kApproved) {
        // Used up before anything runs: a crash must not leave it to be used again.
        records_.erase(approval.id);
        GANTRY_CO_CHECK(co_await save(ctx));
        co_return std::optional<Output>();
    }
    if (!record->by_somebody) records_.erase(approval.id);
    co_return fail(not_approved(approval, record->by_somebody, record->reason));
}

Result<void> Approvals::answer(const std::string& id, const ApprovalAnswer& answer) {
    forget_expired();
    const auto found = records_.find(id);
    if (found == records_.end() || !found->second->open())
        return fail(ErrorCode::kNotFound, "no approval '" + id + "' is waiting: it was answered, used or expired");
    if (answer.channel == AnswerChannel::kCaller)
        return fail(ErrorCode::kDenied, "whoever calls cannot approve its own call this way");
    settle(*found->second, answer);
    return {};
}

void Approvals::settle(Record& record, const ApprovalAnswer& answer) {
    StoredApproval& stored = record.stored;
    stored.state = answer.approved ? ApprovalState::kApproved : ApprovalState::kRejected;
    stored.approval.expires_ms = now_ms() + in_ms(answer.approved ? options_.keep : options_.sticky);
    record.reason = answer.reason;
    record.by_somebody = answer.channel != AnswerChannel::kNobody;
    record.answered.set();
    if (parts_.observer != nullptr)
        parts_.observer->approval_answered({.approval = stored.approval,
                                            .approved = answer.approved,
                                            .channel = answer.channel,
                                            .who = answer.who,
                                            .reason = answer.reason});
    scope_.spawn(save_later());
}

std::vector<PendingApproval> Approvals::list() {
    forget_expired();
    std::vector<PendingApproval> pending;
    for (const auto& [id, record] : records_) {
        if (record->open()) pending.push_back(record->stored.approval);
    }
    std::ranges::sort(pending, {}, &PendingApproval::asked_ms);
    return pending;
}

/// Those somebody waits for end by themselves.
void Approvals::forget_expired() {
    const std::int64_t now = now_ms();
    std::vector<RecordPtr> gone;
    std::erase_if(records_, [&](const auto& entry) {
        const bool over = entry.second->waiting == 0 && entry.second->stored.approval.expires_ms <= now;
        if (over) gone.push_back(entry.second);
        return over;
    });
    for (const RecordPtr& record : gone) {
        if (record->stored.state == ApprovalState::kPending)
            settle(*record, {.channel = AnswerChannel::kNobody, .who = {}, .reason = "nobody answered in time"});
    }
}

Task<Result<void>> Approvals::save(const Context& ctx) {
    std::vector<StoredApproval> all;
    for (const auto& [id, record] : records_) all.push_back(record->stored);
    return parts_.store.save(ctx, std::move(all));
}

Task<void> Approvals::save_later() {
    auto saved = co_await save(Context::background());
    if (!saved && parts_.note) parts_.note("approvals could not be saved: " + saved.error().message());
}

}  // namespace gantry::gateway
