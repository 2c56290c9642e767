#pragma once

#include "gantry/json.hpp"
#include "surface/mcp/encode.hpp"

namespace gantry::surface {

/// encode() for a result that is not held: what is said about its members there is done while they pass. Not done is
/// what would need a look inside them: content of newer revisions stays as it is. A `_meta` beyond 64 KB is left out
/// where it would have to be looked into.
mcp::Answer encode_stream(const mcp::Call& call, gateway::Verb verb, gateway::Output output, const Stamp& stamp);

/// What the tool's results are like, as its definition says; null where it does not, or `item` is null.
Json output_schema_of(const gateway::ItemPtr& item);

}  // namespace gantry::surface
