#pragma once

#include "gantry/error.hpp"
#include "gateway/model/call.hpp"

namespace gantry::gateway {

/// "no tool 'ech'; did you mean 'echo'?" The same wording for a tool that does not exist and one the caller may not
/// use; only tools the caller may use are suggested. The work is bounded, however long the catalog is.
Error unknown_tool(const IncomingCall& call, const Principal& principal);

}  // namespace gantry::gateway
