#pragma once

#include "gateway/catalog/catalog.hpp"
#include "gateway/model/call.hpp"
#include "gateway/ports/policy.hpp"

namespace gantry::gateway {

/// "no tool 'ech'; did you mean 'echo'?" The same wording for a tool that does not exist and one the caller may not
/// use; only tools the caller may use are suggested. The work is bounded, however long the catalog is.
Error unknown_tool(const Catalog& catalog, const Policy& policy, const IncomingCall& call, const Principal& principal);

}  // namespace gantry::gateway
