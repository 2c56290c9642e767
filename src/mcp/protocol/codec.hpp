#pragma once

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/revision.hpp"
#include "gantry/mcp/types.hpp"

// Converts the value types of gantry/mcp to and from JSON. Both functions exist for every struct of params, result,
// notification, capability and content there; using them for any other type does not link.
//
//     GANTRY_TRY(auto tools, decode<ListToolsResult>(result, revision));
//     Json params = encode(CallToolParams{.name = "sum"}, revision);

namespace gantry::mcp {

/// Encodes what `revision` defines of `value`: later fields are omitted, required fields are present, unknown
/// members follow at the end. A modern result has its resultType, a legacy one never does.
template <class T>
Json encode(const T& value, Revision revision);

/// Lenient where peers are known to be careless: null counts as absent, unknown members and enumeration values are
/// kept, fields of other revisions are accepted if valid, hints of the wrong type become unknown members. Everything
/// else is an error (kProtocol) that names the place, "tools[3].name", never the value. A null `json` decodes as an
/// empty object, so absent params need no special case.
template <class T>
Result<T> decode(const Json& json, Revision revision);

}  // namespace gantry::mcp
