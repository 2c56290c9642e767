#pragma once

#include "mcp/client/settings.hpp"

namespace gantry::mcp {

/// Answers a server's request to its client, for both eras with the same handlers: a legacy request
/// (`elicitation/create`, `sampling/createMessage`, `roots/list`) or one entry of a modern input round.
/// Returns the bare result object of that method.
///
/// Elicited content gets its schema's defaults and is validated against the schema before it is sent.
Task<Result<Json>> serve_input(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                               std::string method, Json params);

/// Answers all entries of an input round concurrently and returns the answers under their keys. The first failure
/// fails the round: the protocol has no way to answer only some.
Task<Result<InputResponses>> serve_inputs(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                                          const InputRequests& requests);

}  // namespace gantry::mcp
