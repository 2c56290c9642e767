#pragma once

#include "mcp/server/call.hpp"

namespace gantry::mcp {

/// Puts the rest of an answer into a file, from where it is then read. For lines that many answers share: nobody waits
/// behind an answer that comes slowly, and one that breaks off has not been begun. Does nothing without a rest.
Task<Result<void>> spool_answer(const Context& ctx, Answer& answer);

/// What a client is told whose answer came to nothing half way.
RpcError broken_off(const Error& why);

}  // namespace gantry::mcp
