#include "mcp/server/wire.hpp"

#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp::wire {
namespace {

constexpr std::string_view kHead = R"({"jsonrpc":"2.0")";

/// The `_meta` with the id of the listen a message belongs to.
std::string subscription_meta(std::string_view raw_id) {
    return "\"_meta\":{\"" + std::string(meta_key::kSubscriptionId) + "\":" + std::string(raw_id) + "}";
}

std::string_view method_of(const Change& change, bool modern) {
    switch (change.kind) {
        case Change::Kind::kTools: return method::kToolsChanged;
        case Change::Kind::kPrompts: return method::kPromptsChanged;
        case Change::Kind::kResources: return method::kResourcesChanged;
        case Change::Kind::kUpdated: return method::kResourceUpdated;
        case Change::Kind::kTask: return modern ? method::kTaskStatus : std::string_view();
    }
    return {};
}

}  // namespace

void append_result_head(std::string& out, std::string_view raw_id) {
    out.append(kHead).append(R"(,"id":)").append(raw_id).append(R"(,"result":)");
}

std::string error_message(std::string_view raw_id, const RpcError& error) {
    std::string out(kHead);
    if (!raw_id.empty()) out.append(R"(,"id":)").append(raw_id);
    out.append(R"(,"error":{"code":)").append(std::to_string(error.code)).append(R"(,"message":)");
    Json(error.message).dump_to(out);
    if (!error.data.empty()) {
        out += R"(,"data":)";
        auto data = Json::parse(error.data);
        (data ? *data : Json(error.data)).dump_to(out);
    }
    out += "}}";
    return out;
}

RpcError to_rpc_error(const Error& error) {
    if (error.rpc() != nullptr) return *error.rpc();
    switch (error.code()) {
        case ErrorCode::kInvalidArgument:
        case ErrorCode::kNotFound:
        case ErrorCode::kSchema: return invalid_params(error.message());
        default: return internal_error(error.message());
    }
}

std::string notification(std::string_view method, std::string_view params) {
    std::string out(kHead);
    out.append(R"(,"method":")").append(method).append("\"");
    if (!params.empty()) out.append(R"(,"params":)").append(params);
    out += '}';
    return out;
}

std::string request(std::string_view raw_id, std::string_view method, std::string_view params) {
    std::string out(kHead);
    out.append(R"(,"id":)").append(raw_id).append(R"(,"method":")").append(method).append("\"");
    if (!params.empty()) {
        out += R"(,"params":)";
        append_one_line(out, params);
    }
    out += '}';
    return out;
}

std::string cancelled(std::string_view raw_id, std::string_view reason) {
    std::string params = R"({"requestId":)" + std::string(raw_id) + R"(,"reason":)";
    Json(reason).dump_to(params);
    params += '}';
    return notification(method::kCancelled, params);
}

std::string change(const Change& change, std::string_view subscription) {
    const bool modern = !subscription.empty();
    const std::string_view method = method_of(change, modern);
    if (method.empty()) return {};
    std::string params = "{";
    if (change.kind == Change::Kind::kUpdated) {
        params += R"("uri":)";
        Json(change.uri).dump_to(params);
    } else if (change.kind == Change::Kind::kTask) {
        Json task = change.task;
        if (JsonObject* object = task.if_object()) object->erase("_meta");
        const std::string text = task.is_object() ? task.dump() : "{}";
        params.append(text, 1, text.size() - 2);
    }
    if (modern) {
        if (params.size() > 1) params += ',';
        params += subscription_meta(subscription);
    }
    params += '}';
    return notification(method, params == "{}" ? std::string_view() : params);
}

void append_whole(std::string& out, const Answer& answer) {
    out += answer.message;
    if (answer.shared_result) out.append(*answer.shared_result).append("}");
}

void append_one_line(std::string& out, std::string_view json) {
    const std::size_t begin = out.size();
    out += json;
    for (std::size_t at = out.find_first_of("\r\n", begin); at != std::string::npos;
         at = out.find_first_of("\r\n", at + 1)) {
        out[at] = ' ';
    }
}

}  // namespace gantry::mcp::wire
