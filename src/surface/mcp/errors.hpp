#pragma once

#include "gateway/model/call.hpp"
#include "mcp/server/call.hpp"

namespace gantry::surface {

/// The answer to a failed call, in the client's terms. Errors about the hop to the source (headers, versions) are never
/// passed on as if they were about this one; a tool's own failures stay results where the revision requires it. Never
/// contains arguments.
mcp::Answer answer_failure(const mcp::Call& call, gateway::Verb verb, std::string_view name, const Error& error,
                           std::string_view correlation_id);

/// A result with isError set and one text item.
mcp::Answer answer_failed_tool(const mcp::Call& call, std::string_view text);

}  // namespace gantry::surface
