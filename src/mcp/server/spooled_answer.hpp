#pragma once

#include "mcp/server/call.hpp"

namespace gantry::mcp {

/// Spools the rest of an answer to a file and reads it from there. For lines shared by many answers: a slow answer does
/// not block the others, and one that breaks off has not been started. No effect without a rest.
Task<Result<void>> spool_answer(const Context& ctx, Answer& answer);

/// The error for a client whose answer broke off.
RpcError broken_off(const Error& why);

}  // namespace gantry::mcp
