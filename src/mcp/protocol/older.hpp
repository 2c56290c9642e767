#pragma once

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

// What newer peers say, as clients of older revisions can understand it. Pure functions on trees in the newest form;
// what a revision does know passes unchanged, unknown members included. A gateway uses them on what it relays, a
// server on what its handlers return.

namespace gantry::mcp {

/// Whether legacy clients see a tool's structured results inside `{result: …}`: they know objects only.
bool is_wrapped(const Json& output_schema) noexcept;
/// The schema of that object. References into the same document follow their targets.
Json wrap_schema(Json schema);

Json tool_for(Json tool, Revision revision);
/// `output_schema` is the tool's own, null if it has none. Whoever loses the structured content, or sees it
/// wrapped, still has its text.
Json call_result_for(Json result, Revision revision, const Json* output_schema = nullptr);

Json content_for(Json block, Revision revision);
Json prompt_for(Json prompt, Revision revision);
Json prompt_result_for(Json result, Revision revision);
/// A resource or a resource template, as it stands in a list.
Json resource_for(Json resource, Revision revision);
Json read_result_for(Json result, Revision revision);
/// Params of notifications/progress.
Json progress_for(Json params, Revision revision);

/// Params of elicitation/create. kUnsupported where the revision has no elicitation, or not that mode.
Result<Json> elicit_params_for(Json params, Revision revision);
/// The client's answer back in the terms of the schema that was asked with: a multi-select that went out as text
/// comes back as a list.
Json elicit_result_from(Json result, const Json& requested_schema, Revision revision);

/// Params of sampling/createMessage. kUnsupported when tools or several blocks in a message are needed and the client
/// cannot have them; context it did not offer is not asked for.
Result<Json> sampling_params_for(Json params, Revision revision, const ClientCapabilities& client);

}  // namespace gantry::mcp
