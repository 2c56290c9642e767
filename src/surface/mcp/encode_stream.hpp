#pragma once

#include "gantry/json.hpp"
#include "surface/mcp/encode.hpp"

namespace gantry::surface {

/// encode() for a streamed result: applies the same rules to top-level members as they pass. Changes inside members are
/// not made: content of newer revisions is left as it is. A `_meta` beyond 64 KB is dropped where it would have to be
/// inspected.
mcp::Answer encode_stream(const mcp::Call& call, gateway::Verb verb, gateway::Output output, const Stamp& stamp);

/// The tool's declared output schema; null when it declares none, or `item` is null.
Json output_schema_of(const gateway::Item* item);

}  // namespace gantry::surface
