#pragma once

#include "gantry/json.hpp"
#include "gantry/mcp/types.hpp"

namespace gantry::mcp {

/// Public values as JSON of the newest revision, for storing, displaying or passing to a model.
Json to_json(const Tool& value);
Json to_json(const Prompt& value);
Json to_json(const Resource& value);
Json to_json(const ResourceTemplate& value);
Json to_json(const CallToolResult& value);
Json to_json(const ReadResourceResult& value);
Json to_json(const GetPromptResult& value);
Json to_json(const Implementation& value);
Json to_json(const ServerCapabilities& value);

}  // namespace gantry::mcp
