#include "gateway/approvals/questions.hpp"

#include "gantry/json.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {
namespace {

constexpr std::string_view kStatePrefix = "approval.";
constexpr std::string_view kKey = "approval";

Json elicitation(const PendingApproval& approval) {
    return JsonObject{{"mode", "form"},
                      {"message", "Allow '" + approval.tool + "' on server '" + approval.source +
                                      "' with these arguments?\n" + approval.arguments},
                      {"requestedSchema", JsonObject{{"type", "object"}, {"properties", JsonObject{}}}}};
}

std::optional<bool> meaning(const Json& answer) {
    const std::string_view action = answer.string_at("action");
    if (action == "accept") return true;
    if (action == "decline" || action == "cancel") return false;
    return std::nullopt;
}

}  // namespace

std::string elicitation_of(const PendingApproval& approval) {
    return elicitation(approval).dump();
}

std::optional<bool> read_elicited(std::string_view result) {
    const auto json = Json::parse(result);
    return json ? meaning(*json) : std::nullopt;
}

Output approval_round(const PendingApproval& approval) {
    const Json questions = JsonObject{
        {std::string(kKey), JsonObject{{"method", mcp::method::kElicit}, {"params", elicitation(approval)}}}};
    Output output = make_output(R"({"resultType":"input_required","inputRequests":)" + questions.dump() + "}",
                                mcp::kLatestRevision);
    output.kind = Output::Kind::kInputRequired;
    output.questions = questions.dump();
    output.state = std::string(kStatePrefix) + approval.id;
    return output;
}

bool is_approval_state(std::string_view state) noexcept {
    return state.starts_with(kStatePrefix);
}

std::string approval_in(std::string_view state) {
    return is_approval_state(state) ? std::string(state.substr(kStatePrefix.size())) : std::string();
}

std::optional<bool> read_round(std::string_view responses) {
    const auto json = Json::parse(responses.empty() ? "{}" : responses);
    const Json* answer = json ? json->find(kKey) : nullptr;
    return answer == nullptr ? std::nullopt : meaning(*answer);
}

Error not_approved(const PendingApproval& approval, bool by_somebody, std::string_view reason) {
    std::string message = "'" + approval.tool + "' on server '" + approval.source + "' was not approved";
    if (!reason.empty()) message.append(": ").append(reason);
    message.append(" (approval ").append(approval.id).append(")");
    RpcError rpc = mcp::internal_error(message);
    rpc.data = Json(JsonObject{{"reason", by_somebody ? "approval_rejected" : "approval_expired"},
                               {"server", approval.source},
                               {"approvalId", approval.id}})
                   .dump();
    return Error(ErrorCode::kDenied, std::move(message)).rpc(std::move(rpc)).on_server(approval.source);
}

}  // namespace gantry::gateway
