#pragma once

#include "mcp/client/settings.hpp"

namespace gantry::mcp {

/// Serves what a server asks of its client, for both eras from the same handlers: a legacy request
/// (`elicitation/create`, `sampling/createMessage`, `roots/list`) or one entry of a modern input round.
/// The result is the bare result object of that method.
///
/// Elicited content has its schema's defaults filled in and is checked against the schema before it leaves.
Task<Result<Json>> serve_input(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                               std::string method, Json params);

/// Serves all entries of an input round at once and returns the answers under their keys. The first failure
/// ends the round: the protocol has no way to answer only some.
Task<Result<InputResponses>> serve_inputs(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                                          const InputRequests& requests);

}  // namespace gantry::mcp
