#pragma once

#include "gateway/model/call.hpp"
#include "mcp/server/call.hpp"

namespace gantry::surface {

/// What a failed call is answered with, in the client's terms. Errors that describe the hop behind us (headers,
/// versions) are never passed on as if they were about this one; a tool's own failures stay results where the revision
/// wants that. Nothing of the arguments is in it.
mcp::Answer answer_failure(const mcp::Call& call, gateway::Verb verb, std::string_view name, const Error& error,
                           std::string_view correlation_id);

/// A result with isError set and one text.
mcp::Answer answer_failed_tool(const mcp::Call& call, std::string_view text);

}  // namespace gantry::surface
