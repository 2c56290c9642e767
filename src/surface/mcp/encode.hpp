#pragma once

#include "gateway/model/call.hpp"
#include "gateway/ports/output.hpp"
#include "mcp/server/call.hpp"
#include "surface/mcp/stamp.hpp"

namespace gantry::surface {

/// A source's answer as this client's: its id, its era's members, its revision's terms. Bytes that need not change are
/// not touched. `task_id` is what the client calls the task, for results about one.
Result<mcp::Answer> encode(const mcp::Call& call, gateway::Verb verb, gateway::Output output, const Stamp& stamp,
                           std::string_view task_id = {});

}  // namespace gantry::surface
