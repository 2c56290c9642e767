#include "gateway/pipeline/guard.hpp"

#include "base/schema/schema.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/ports/source.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {
namespace {

/// Idle entries are swept when the table has grown past this.
constexpr std::size_t kSweepAt = 4096;

}  // namespace

Result<Guard::Pass> Guard::admit(ResolvedCall call) {
    const IncomingCall& incoming = call.identified.incoming;
    const Principal& principal = *call.identified.principal;
    if (!policy_.allows(principal, call.source->name(), call.item.get(), call.own_name, incoming.verb))
        return fail(ErrorCode::kNotFound, incoming.verb == Verb::kCallTool ? "unknown tool" : "not found");
    GANTRY_CHECK(check_arguments(call));
    auto running = running_of(principal);
    if (*running >= limits_.max_running)
        return fail(Error(ErrorCode::kLimit, "too many calls at once: " + std::to_string(*running) + " are running")
                        .retryable(true));
    ++*running;
    return Pass(AdmittedCall(std::move(call)), std::move(running));
}

AdmittedCall Guard::again(const AdmittedCall& call, const IncomingCall& with_answers,
                          std::optional<std::string> state) {
    return AdmittedCall(
        ResolvedCall{.identified = {.incoming = with_answers, .principal = call.call_.identified.principal},
                     .source = call.call_.source,
                     .item = call.call_.item,
                     .own_name = call.call_.own_name,
                     .resume_state = std::move(state)});
}

Result<void> Guard::check_arguments(const ResolvedCall& call) const {
    const IncomingCall& incoming = call.identified.incoming;
    if (incoming.verb != Verb::kCallTool || !call.item) return {};
    const json::Span& arguments = incoming.view.arguments;
    if (arguments && !arguments.is_object() && !arguments.is_null())
        return fail(ErrorCode::kInvalidArgument, "params.arguments must be an object");

    const Item& item = *call.item;
    const bool mirrored = incoming.headers != nullptr && incoming.client.modern() && !item.header_params.empty();
    const bool checked = limits_.validate_arguments && item.input_schema;
    const std::string_view text = arguments.is_object() ? arguments.raw() : std::string_view("{}");
    if (mirrored) {
        GANTRY_TRY(const Json tree, Json::parse(text));
        if (auto agreed = mcp::check_param_headers(*incoming.headers, item.header_params, *tree.if_object()); !agreed)
            return fail(Error(ErrorCode::kInvalidArgument, agreed.error().message())
                            .rpc(mcp::header_mismatch(agreed.error().message())));
    }
    if (checked) {
        if (auto fits = item.input_schema->check_text(text); !fits) return fail(fits.error().within("arguments"));
    }
    return {};
}

std::shared_ptr<std::size_t> Guard::running_of(const Principal& principal) {
    const auto found = running_.find(principal.id);
    if (found != running_.end()) return found->second;
    if (running_.size() >= kSweepAt) std::erase_if(running_, [](const auto& entry) { return *entry.second == 0; });
    return running_.emplace(principal.id, std::make_shared<std::size_t>(0)).first->second;
}

}  // namespace gantry::gateway
