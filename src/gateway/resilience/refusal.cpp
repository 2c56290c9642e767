#include "gateway/resilience/refusal.hpp"

#include "gantry/json.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {

Error refusal(ErrorCode code, std::string message, std::string_view reason, std::string_view server,
              Duration retry_after) {
    // Rounded up, so that a client that waits this long does not return too early.
    const auto after = std::chrono::ceil<milliseconds>(retry_after).count();
    JsonObject data{{"reason", reason}, {"retryable", true}, {"retryAfterMs", after}};
    if (!server.empty()) data.set("server", server);
    RpcError rpc = mcp::internal_error(message);
    rpc.data = Json(std::move(data)).dump();
    return Error(code, std::move(message)).rpc(std::move(rpc)).on_server(std::string(server)).retryable(true);
}

}  // namespace gantry::gateway
