#pragma once

#include "mcp/client/rpc.hpp"
#include "mcp/client/settings.hpp"

namespace gantry::mcp {

/// The legacy handshake, on a fresh connection or after a lost HTTP session: initialize, validation of the answer,
/// notifications/initialized, and the log level if configured. `failure` as in RpcCall.
Task<Result<ServerDescription>> initialize(const Context& ctx, Rpc& rpc, const ClientSettings& settings,
                                           HttpFailure* failure = nullptr);

}  // namespace gantry::mcp
