#pragma once

#include <string>

#include "mcp/server/call.hpp"

namespace gantry::surface {

/// The id under which everything that a call causes is recorded: the caller's own, from `_meta.io.gantry/correlationId`
/// or else the header field X-Correlation-Id or X-Request-Id, if it is 1 to 128 letters, digits and "-_.:/+=@".
/// Otherwise a new one, distinct from all others of this process and most likely from those of others.
std::string correlation_id_of(const mcp::Call& call);

}  // namespace gantry::surface
