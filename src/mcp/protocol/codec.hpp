#pragma once

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/revision.hpp"
#include "gantry/mcp/types.hpp"

// The value types of gantry/mcp to and from JSON. Both functions exist for every struct of params, result,
// notification, capability and content there; using them for anything else does not link.
//
//     GANTRY_TRY(auto tools, decode<ListToolsResult>(result, revision));
//     Json params = encode(CallToolParams{.name = "sum"}, revision);

namespace gantry::mcp {

/// What `revision` knows of `value`: later fields are left out, fields it demands are present, unknown
/// members follow at the end. A modern result carries its resultType, a legacy one never does.
template <class T>
Json encode(const T& value, Revision revision);

/// Reads leniently where peers are known to be careless: null is absent, unknown members and unknown
/// enumeration values are kept, fields of other revisions are taken if they fit, hints of the wrong shape
/// become unknown members. What remains is an error (kProtocol) that names the place, "tools[3].name",
/// never the value. A null `json` reads as an empty object, so absent params need no special case.
template <class T>
Result<T> decode(const Json& json, Revision revision);

}  // namespace gantry::mcp
