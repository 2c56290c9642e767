#pragma once

#include "gantry/client.hpp"

namespace gantry::cli {

/// The JSON form of `--json`: the members of the newest revision, unknown members included.
Json to_json(const Tool& tool);
Json to_json(const mcp::Prompt& prompt);
Json to_json(const mcp::Resource& resource);
Json to_json(const mcp::ResourceTemplate& resource_template);
Json to_json(const mcp::CallToolResult& result);
Json to_json(const mcp::ReadResourceResult& result);
Json to_json(const mcp::GetPromptResult& result);
Json to_json(const mcp::ServerDescription& server);

template <class Value>
Json to_json_array(const std::vector<Value>& values) {
    JsonArray array;
    for (const Value& value : values) array.push_back(to_json(value));
    return array;
}

}  // namespace gantry::cli
