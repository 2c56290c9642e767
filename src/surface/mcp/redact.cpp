#include "surface/mcp/redact.hpp"

#include <utility>

namespace gantry::surface {

Error without_secrets(const Error& error, const Redactor* redactor) {
    if (redactor == nullptr) return error;
    Error told = Error(error.code(), redactor->masked(error.message()))
                     .retryable(error.retryable())
                     .fatal(error.fatal())
                     .on_server(error.server())
                     .on_tool(error.tool());
    if (const RpcError* rpc = error.rpc()) {
        told = std::move(told).rpc(
            {.code = rpc->code, .message = redactor->masked(rpc->message), .data = redactor->masked(rpc->data)});
    }
    return told;
}

gateway::Output without_secrets(gateway::Output output, const Redactor* redactor) {
    if (redactor == nullptr || output.stream || !output.view().is_error.is_true()) return output;
    if (!redactor->touches(output.result())) return output;
    output.message = gateway::make_output(redactor->masked(std::string(output.result())), output.revision).message;
    return output;
}

}  // namespace gantry::surface
