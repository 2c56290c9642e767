#pragma once

#include "gateway/model/call.hpp"
#include "gateway/ports/output.hpp"
#include "mcp/server/call.hpp"
#include "surface/mcp/stamp.hpp"

namespace gantry::surface {

/// Converts a source's answer for this client: request id, members of its era, terms of its revision. Bytes that need
/// no change are not touched. `task_id` is the client's id of the task, for results about one.
Result<mcp::Answer> encode(const mcp::Call& call, gateway::Verb verb, gateway::Output output, const Stamp& stamp,
                           std::string_view task_id = {});

}  // namespace gantry::surface
