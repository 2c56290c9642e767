#include "gateway/pipeline/guard.hpp"

#include <algorithm>

#include "base/json/scan.hpp"
#include "base/json/splice.hpp"
#include "base/schema/argument_error.hpp"
#include "base/schema/schema.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/pipeline/seals.hpp"
#include "gateway/policy/approval_rules.hpp"
#include "gateway/ports/source.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {
namespace {

/// Idle entries are swept when the table has grown past this.
constexpr std::size_t kSweepAt = 4096;

const CallSettings& settings_of(const ResolvedCall& call) noexcept {
    return *call.identified.incoming.snapshot.settings;
}

}  // namespace

/// The call without the answer to the gateway's own question, which must not reach the source.
struct OwnIncoming {
    static Result<std::unique_ptr<OwnIncoming>> without_answers(const IncomingCall& call) {
        std::string wrapped = R"({"params":)";
        wrapped.append(call.params.empty() ? std::string_view("{}") : call.params).append("}");
        GANTRY_TRY(const auto before, json::scan_envelope(wrapped));
        json::Splice splice(wrapped);
        splice.remove(before.in_params.input_responses);
        splice.remove(before.in_params.request_state);
        GANTRY_TRY(std::string text, splice.finish());
        auto own = std::make_unique<OwnIncoming>(std::move(text), call);
        GANTRY_TRY(const auto view, json::scan_envelope(own->text));
        own->call.params = view.params.raw();
        own->call.view = view.in_params;
        return own;
    }
    OwnIncoming(std::string changed, const IncomingCall& from) : text(std::move(changed)), call(from) {}

    std::string text;
    IncomingCall call;
};

Guard::Pass::Pass(Maker, ResolvedCall&& call, std::shared_ptr<std::size_t> running) noexcept
    : call_(std::move(call)), running_(std::move(running)) {}
Guard::Pass::Pass(Pass&& other) noexcept
    : own_(std::move(other.own_)), call_(std::move(other.call_)), running_(std::move(other.running_)) {}
Guard::Pass::~Pass() {
    if (running_) --*running_;
}

Guard::Entry Guard::admit(ResolvedCall& call, TimePoint now) {
    Entry entry;
    const auto checked = check(call, now);
    if (!checked) {
        entry.verdict = fail(checked.error());
    } else if (*checked == Checked::kTooCostlyHere) [[unlikely]] {
        entry.costly = std::make_unique<ResolvedCall>(std::move(call));
    } else {
        let_in(call, entry);
    }
    return entry;
}

void Guard::admit_checked(Entry& entry) {
    const auto call = std::move(entry.costly);
    let_in(*call, entry);
}

Result<Guard::Checked> Guard::check(const ResolvedCall& call, TimePoint now) {
    const IncomingCall& incoming = call.identified.incoming;
    const Principal& principal = *call.identified.principal;
    if (!settings_of(call).allows(principal, call.source->name(), call.item, call.own_name, incoming.verb))
        return fail(ErrorCode::kNotFound, incoming.verb == Verb::kCallTool ? "unknown tool" : "not found");
    const std::string_view tool = incoming.verb == Verb::kCallTool ? call.own_name : std::string_view();
    GANTRY_CHECK(gates_.admit_rate(principal, call.source->name(), tool, now));
    return check_arguments(call, now);
}

void Guard::let_in(ResolvedCall& call, Entry& entry) {
    const Principal& principal = *call.identified.principal;
    auto running = running_of(principal);
    if (*running >= settings_of(call).limits.max_running) {
        entry.verdict =
            fail(Error(ErrorCode::kLimit, "too many calls at once: " + std::to_string(*running) + " are running")
                     .retryable(true));
        return;
    }
    ++*running;
    if (needs_person(call)) [[unlikely]] {
        entry.held.emplace(Maker(), std::move(call), std::move(running));
    } else {
        entry.pass.emplace(Maker(), std::move(call), std::move(running));
    }
}

bool Guard::needs_person(const ResolvedCall& call) const noexcept {
    const CallSettings& settings = settings_of(call);
    if (settings.approvals.rules.empty() || approver_ == nullptr || call.item == nullptr) [[likely]]
        return false;
    const IncomingCall& incoming = call.identified.incoming;
    if (incoming.verb != Verb::kCallTool) return false;
    // A call that resumes with its source's own state was approved when it began.
    if (call.resume_state && !approver_->resumes_approval(*call.resume_state)) return false;
    return needs_approval(settings.approvals, settings.groups, call.source->name(), *call.item, incoming.name);
}

Task<Result<Guard::Decision>> Guard::ask(const Context& ctx, Held held, ReplyLine& line) {
    const ResolvedCall& call = held.call();
    const std::string digest = digest_of(call.identified.incoming.verb, call.own_name, call.identified.incoming.view);
    GANTRY_CO_TRY(auto asks, co_await approver_->obtain(ctx, {.call = call, .digest = digest}, line));
    Decision decision;
    if (asks) {
        decision.asks = *std::move(asks);
    } else {
        GANTRY_CO_TRY(Pass pass, agreed(std::move(held.pass_)));
        decision.pass.emplace(std::move(pass));
    }
    co_return decision;
}

Result<Guard::Pass> Guard::agreed(Pass pass) {
    ResolvedCall& call = pass.call_.call_;
    // Without a state the call is unchanged; with one, the state and the answer beside it were meant for the gateway.
    if (!call.resume_state) return pass;
    GANTRY_TRY(auto own, OwnIncoming::without_answers(call.identified.incoming));
    ResolvedCall clean{.identified = {.incoming = own->call, .principal = call.identified.principal},
                       .source = call.source,
                       .item = call.item,
                       .own_name = call.own_name,
                       .opened_id = call.opened_id};
    Pass cleaned(Maker(), std::move(clean), std::move(pass.running_));
    cleaned.own_ = std::move(own);
    return cleaned;
}

AdmittedCall Guard::again(const AdmittedCall& call, const IncomingCall& with_answers,
                          std::optional<std::string> state) {
    return AdmittedCall(
        ResolvedCall{.identified = {.incoming = with_answers, .principal = call.call_.identified.principal},
                     .source = call.call_.source,
                     .item = call.call_.item,
                     .own_name = call.call_.own_name,
                     .opened_id = call.call_.opened_id,
                     .resume_state = std::move(state)});
}

std::string_view Guard::arguments_of(const ResolvedCall& call) noexcept {
    const json::Span& arguments = call.identified.incoming.view.arguments;
    return arguments.is_object() ? arguments.raw() : std::string_view("{}");
}

Result<Guard::Checked> Guard::check_arguments(const ResolvedCall& call, TimePoint now) {
    const IncomingCall& incoming = call.identified.incoming;
    if (incoming.verb != Verb::kCallTool || call.item == nullptr) return Checked::kFine;
    const json::Span& arguments = incoming.view.arguments;
    if (arguments && !arguments.is_object() && !arguments.is_null())
        return fail(ErrorCode::kInvalidArgument, "params.arguments must be an object");

    const Item& item = *call.item;
    const bool mirrored = incoming.headers != nullptr && incoming.client.modern() && !item.header_params.empty();
    const std::string_view text = arguments_of(call);
    if (mirrored) {
        GANTRY_TRY(const Json tree, Json::parse(text));
        if (auto agreed = mcp::check_param_headers(*incoming.headers, item.header_params, *tree.if_object()); !agreed)
            return fail(Error(ErrorCode::kInvalidArgument, agreed.error().message())
                            .rpc(mcp::header_mismatch(agreed.error().message())));
    }
    const bool checked = settings_of(call).limits.validate_arguments && item.input_schema;
    if (!checked || item.input_schema->surely_fits(text)) return Checked::kFine;
    return check_by_schema(call, text, now);
}

/// Slow path, for arguments that the fast check does not accept.
Result<Guard::Checked> Guard::check_by_schema(const ResolvedCall& call, std::string_view arguments, TimePoint now) {
    const GuardLimits& limits = settings_of(call).limits;
    const Item& item = *call.item;
    // Parsing a long text is costly too, be it the arguments or, for the error message, the definition.
    if (arguments.size() > limits.loop_bytes || item.text.size() > limits.loop_bytes) return Checked::kTooCostlyHere;
    const std::string& source = call.source->name();
    GANTRY_TRY(const Json value, Json::parse(arguments));
    const schema::ValidationReport report =
        item.input_schema->validate(value, {.max_steps = loop_steps_of(limits, source, now)});
    if (report.limit_reached) {
        costly_until_[source] = now + limits.costly_for;
        return Checked::kTooCostlyHere;
    }
    if (report.valid()) return Checked::kFine;
    const auto definition = Json::parse(item.text);
    const Json* schema = definition ? definition->find("inputSchema") : nullptr;
    return fail(schema::argument_error(report, schema == nullptr ? Json() : *schema));
}

std::uint64_t Guard::loop_steps_of(const GuardLimits& limits, const std::string& source, TimePoint now) {
    const auto found = costly_until_.find(source);
    if (found == costly_until_.end()) return limits.loop_steps;
    if (now < found->second) return std::min(limits.loop_steps, limits.loop_steps_if_costly);
    costly_until_.erase(found);
    return limits.loop_steps;
}

std::shared_ptr<std::size_t> Guard::running_of(const Principal& principal) {
    const auto found = running_.find(principal.id);
    if (found != running_.end()) return found->second;
    if (running_.size() >= kSweepAt) std::erase_if(running_, [](const auto& entry) { return *entry.second == 0; });
    return running_.emplace(principal.id, std::make_shared<std::size_t>(0)).first->second;
}

}  // namespace gantry::gateway
