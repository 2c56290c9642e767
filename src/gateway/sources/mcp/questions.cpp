#include "gateway/sources/mcp/questions.hpp"

#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {

namespace {

Error refusal(RpcError error) {
    std::string message = error.message;
    return Error(ErrorCode::kUnsupported, std::move(message)).rpc(std::move(error));
}

Json read_or_empty(std::string_view params) {
    auto json = params.empty() ? Result<Json>(JsonObject{}) : Json::parse(params);
    return json && json->is_object() ? *std::move(json) : Json(JsonObject{});
}

Result<void> check_elicitation(const ForwardedCapabilities& client, const Json& params) {
    if (!client.asked.elicitation) return fail(refusal(mcp::method_not_found(mcp::method::kElicit)));
    const std::string_view mode = params.string_at("mode", "form");
    if ((mode == "form" && client.by_form()) || (mode == "url" && client.by_url())) return {};
    return fail(refusal(mcp::invalid_params("the client does not offer that mode of elicitation")));
}

Result<void> check_sampling(const ForwardedCapabilities& client, const Json& params) {
    if (!client.asked.sampling) return fail(refusal(mcp::method_not_found(mcp::method::kCreateMessage)));
    const Json* tools = params.find("tools");
    const bool with_tools = tools != nullptr && tools->if_array() != nullptr && !tools->if_array()->empty();
    if (!with_tools || client.asked.sampling->tools) return {};
    return fail(refusal(mcp::invalid_params("the client does not offer sampling with tools")));
}

Result<void> check_json(const ForwardedCapabilities& client, std::string_view method, const Json& params) {
    if (method == mcp::method::kElicit) return check_elicitation(client, params);
    if (method == mcp::method::kCreateMessage) return check_sampling(client, params);
    if (method == mcp::method::kListRoots && client.asked.roots) return {};
    return fail(refusal(mcp::method_not_found(method)));
}

bool is_text(const Json* value) {
    return value != nullptr && value->is_string();
}

}  // namespace

Error invalid_params(std::string message) {
    return Error(ErrorCode::kInvalidArgument, message).rpc(mcp::invalid_params(message));
}

Result<void> check_question(const ForwardedCapabilities& client, std::string_view method, std::string_view params) {
    return check_json(client, method, read_or_empty(params));
}

Result<void> check_input_requests(const ForwardedCapabilities& client, const Json& requests) {
    const JsonObject* entries = requests.if_object();
    if (entries == nullptr) return fail(ErrorCode::kProtocol, "the server's inputRequests are not an object");
    for (const auto& [key, request] : *entries) {
        const Json* method = request.find("method");
        if (!is_text(method)) return fail(ErrorCode::kProtocol, "the server asked for input without naming a method");
        const Json* params = request.find("params");
        if (auto allowed = check_json(client, *method->if_string(), params != nullptr ? *params : Json()); !allowed) {
            return fail(ErrorCode::kProtocol, "the server asked for what the client did not offer (" +
                                                  *method->if_string() + "): " + allowed.error().message());
        }
    }
    return {};
}

std::string clean_question(std::string_view params) {
    Json json = read_or_empty(params);
    JsonObject& object = *json.if_object();
    object.erase("task");
    object.erase("elicitationId");
    if (Json* meta = object.find("_meta"); meta != nullptr) {
        JsonObject* members = meta->if_object();
        if (members != nullptr) {
            members->erase("progressToken");
            members->erase("io.modelcontextprotocol/related-task");
        }
        if (members == nullptr || members->empty()) object.erase("_meta");
    }
    return json.dump();
}

Result<void> check_answer(std::string_view method, const Json& answer) {
    const std::string name(method);
    if (!answer.is_object()) return fail(invalid_params("the answer to " + name + " is not an object"));
    if (method == mcp::method::kElicit) {
        const std::string_view action = answer.string_at("action");
        const bool known = action == "accept" || action == "decline" || action == "cancel";
        const Json* content = answer.find("content");
        if (known && (content == nullptr || content->is_object())) return {};
        return fail(invalid_params("the answer to " + name + " needs an action: accept, decline or cancel"));
    }
    if (method == mcp::method::kCreateMessage) {
        const Json* content = answer.find("content");
        if (is_text(answer.find("role")) && is_text(answer.find("model")) && content != nullptr &&
            (content->is_object() || content->is_array())) {
            return {};
        }
        return fail(invalid_params("the answer to " + name + " needs role, content and model"));
    }
    const Json* roots = answer.find("roots");
    if (roots != nullptr && roots->is_array()) return {};
    return fail(invalid_params("the answer to " + name + " needs roots"));
}

Result<std::string> unanswered(std::string_view method) {
    if (method == mcp::method::kElicit) return std::string(R"({"action":"cancel"})");
    return fail(Error(ErrorCode::kTimeout, "the client did not answer in time")
                    .rpc(mcp::internal_error("the client did not answer in time")));
}

}  // namespace gantry::gateway
