#include "mcp/server/call.hpp"

#include "mcp/server/wire.hpp"

namespace gantry::mcp {

Json Call::params() const {
    if (!view.params) return {};
    // Scanned before with the endpoint's limits: those of this parse must not be narrower.
    auto parsed = Json::parse(view.params.raw(), {.max_bytes = view.params.raw().size(), .max_depth = 1024});
    return parsed ? *std::move(parsed) : Json();
}

Answer Answer::result(const Call& call, std::string_view result) {
    Answer answer;
    answer.message.reserve(result.size() + call.id().size() + 40);
    wire::append_result_head(answer.message, call.id());
    answer.message.append(result).append("}");
    return answer;
}

Answer Answer::result(const Call& call, const Json& result) {
    Answer answer;
    wire::append_result_head(answer.message, call.id());
    result.dump_to(answer.message);
    answer.message += '}';
    return answer;
}

Answer Answer::result(const Call& call, std::shared_ptr<const std::string> result) {
    Answer answer;
    wire::append_result_head(answer.message, call.id());
    answer.shared_result = std::move(result);
    return answer;
}

Answer Answer::failure(const Call& call, const RpcError& error) {
    Answer answer;
    answer.message = wire::error_message(call.id(), error);
    answer.error = error.code;
    return answer;
}

Answer Answer::failure(const Call& call, const Error& error) {
    return failure(call, wire::to_rpc_error(error));
}

}  // namespace gantry::mcp
