#include "surface/mcp/errors.hpp"

#include "gantry/json.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::surface {
namespace {

using gantry::RpcError;
using gateway::Verb;
using mcp::Revision;
namespace code = mcp::rpc_code;

RpcError with_data(RpcError error, const Error& cause, std::string_view correlation_id) {
    JsonObject data{{"reason", to_string(cause.code())}};
    if (!cause.server().empty()) data.set("server", cause.server());
    if (!correlation_id.empty()) data.set("correlationId", correlation_id);
    if (cause.retryable()) data.set("retryable", true);
    error.data = Json(std::move(data)).dump();
    return error;
}

/// A refusal by the gateway itself carries its reason and when to retry.
RpcError with_correlation(RpcError error, std::string_view correlation_id) {
    auto data = Json::parse(error.data);
    if (!data || !data->is_object() || correlation_id.empty()) return error;
    data->if_object()->set("correlationId", correlation_id);
    error.data = data->dump();
    return error;
}

/// Translates the source's own refusal for this client.
RpcError translate(const mcp::Call& call, const RpcError& from, std::string_view name) {
    const Revision revision = call.peer->revision;
    switch (from.code) {
        case code::kResourceNotFound: return call.peer->modern() ? mcp::resource_not_found(name, revision) : from;
        case code::kUrlElicitationRequired:
            return revision == Revision::k2025_11_25
                       ? from
                       : mcp::internal_error(
                             "the server wants the user to visit a page first, which this client "
                             "cannot be asked for");
        case code::kMissingCapability: return call.peer->modern() ? from : mcp::internal_error(from.message);
        case code::kHeaderMismatch:
        case code::kUnsupportedVersion:
            return mcp::internal_error("the server behind the gateway refused the request's form");
        default: return from;
    }
}

bool fails_as_result(const mcp::Call& call, Verb verb, const Error& error) {
    if (verb != Verb::kCallTool) return false;
    // Since 2025-11-25 invalid arguments are reported to the model, so that it can correct them.
    if (error.code() == ErrorCode::kSchema) return call.peer->revision >= Revision::k2025_11_25;
    const RpcError* rpc = error.code() == ErrorCode::kRpc ? error.rpc() : nullptr;
    return rpc != nullptr && rpc->code == code::kMissingCapability && !call.peer->modern();
}

}  // namespace

mcp::Answer answer_failed_tool(const mcp::Call& call, std::string_view text) {
    JsonObject result{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", text}}}}, {"isError", true}};
    if (call.peer->modern()) result.set("resultType", "complete");
    return mcp::Answer::result(call, Json(std::move(result)));
}

mcp::Answer answer_failure(const mcp::Call& call, Verb verb, std::string_view name, const Error& error,
                           std::string_view correlation_id) {
    if (fails_as_result(call, verb, error)) return answer_failed_tool(call, error.message());
    switch (error.code()) {
        case ErrorCode::kRpc:
            if (error.rpc() != nullptr) return mcp::Answer::failure(call, translate(call, *error.rpc(), name));
            break;
        case ErrorCode::kNotFound:
            if (verb == Verb::kReadResource)
                return mcp::Answer::failure(call, mcp::resource_not_found(name, call.peer->revision));
            // The message names an unknown tool, and the one that was probably meant.
            if (verb == Verb::kCallTool) return mcp::Answer::failure(call, mcp::invalid_params(error.message()));
            return mcp::Answer::failure(call, mcp::invalid_params(error.message() + ": " + std::string(name)));
        case ErrorCode::kInvalidArgument:
            if (error.rpc() != nullptr) return mcp::Answer::failure(call, *error.rpc());
            return mcp::Answer::failure(call, mcp::invalid_params(error.message()));
        case ErrorCode::kLimit:
        case ErrorCode::kConnection:
        case ErrorCode::kDenied:
            if (error.rpc() != nullptr)
                return mcp::Answer::failure(call, with_correlation(*error.rpc(), correlation_id));
            break;
        case ErrorCode::kSchema: return mcp::Answer::failure(call, mcp::invalid_params(error.message()));
        default: break;
    }
    return mcp::Answer::failure(call, with_data(mcp::internal_error(error.message()), error, correlation_id));
}

}  // namespace gantry::surface
