#pragma once

#include "mcp/client/rpc.hpp"
#include "mcp/client/settings.hpp"

namespace gantry::mcp {

/// The legacy handshake on a fresh connection or after a lost HTTP session: initialize, check what the server
/// answers, notifications/initialized, and the log level if one is wanted. `failure` as in RpcCall.
Task<Result<ServerDescription>> initialize(const Context& ctx, Rpc& rpc, const ClientSettings& settings,
                                           HttpFailure* failure = nullptr);

}  // namespace gantry::mcp
