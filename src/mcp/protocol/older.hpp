#pragma once

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

// Converts messages of newer peers for clients of older revisions. Pure functions on trees in the newest form; what a
// revision does define passes unchanged, including unknown members. Used by a gateway for relayed messages and by a
// server for the results of its handlers.

namespace gantry::mcp {

/// Whether legacy clients get a tool's structured results wrapped in `{result: …}`, because they support only objects.
bool is_wrapped(const Json& output_schema) noexcept;
/// The schema of that object. References within the document are adjusted to their new targets.
Json wrap_schema(Json schema);

Json tool_for(Json tool, Revision revision);
/// `output_schema` is the tool's own, null if it has none. Clients that lose the structured content, or get it
/// wrapped, still have its text.
Json call_result_for(Json result, Revision revision, const Json* output_schema = nullptr);

Json content_for(Json block, Revision revision);
Json prompt_for(Json prompt, Revision revision);
Json prompt_result_for(Json result, Revision revision);
/// A resource or a resource template, as a list entry.
Json resource_for(Json resource, Revision revision);
Json read_result_for(Json result, Revision revision);
/// Params of notifications/progress.
Json progress_for(Json params, Revision revision);

/// Params of elicitation/create. kUnsupported if the revision has no elicitation, or not that mode.
Result<Json> elicit_params_for(Json params, Revision revision);
/// Converts the client's answer back to match the schema asked with: a multi-select sent as text becomes a list.
Json elicit_result_from(Json result, const Json& requested_schema, Revision revision);

/// Params of sampling/createMessage. kUnsupported if tools or several blocks in a message are needed and the client
/// does not support them; context it did not declare is not requested.
Result<Json> sampling_params_for(Json params, Revision revision, const ClientCapabilities& client);

}  // namespace gantry::mcp
