#include "surface/cli/json_out.hpp"

#include "gantry/mcp/encode.hpp"

namespace gantry::cli {

namespace {

/// Removes members that only distinguish results on the wire: a program that asked for one does not need them.
Json without_envelope(Json json) {
    if (JsonObject* object = json.if_object()) {
        object->erase("resultType");
        object->erase("ttlMs");
        object->erase("cacheScope");
    }
    return json;
}

}  // namespace

Json to_json(const Tool& tool) {
    mcp::Tool definition = tool.definition();
    definition.name = tool.name();
    return mcp::to_json(definition);
}
Json to_json(const mcp::Prompt& prompt) {
    return mcp::to_json(prompt);
}
Json to_json(const mcp::Resource& resource) {
    return mcp::to_json(resource);
}
Json to_json(const mcp::ResourceTemplate& resource_template) {
    return mcp::to_json(resource_template);
}
Json to_json(const mcp::CallToolResult& result) {
    return without_envelope(mcp::to_json(result));
}
Json to_json(const mcp::ReadResourceResult& result) {
    return without_envelope(mcp::to_json(result));
}
Json to_json(const mcp::GetPromptResult& result) {
    return without_envelope(mcp::to_json(result));
}

Json to_json(const mcp::ServerDescription& server) {
    JsonObject json{{"protocolVersion", std::string(mcp::to_string(server.revision))},
                    {"serverInfo", mcp::to_json(server.info)},
                    {"capabilities", mcp::to_json(server.capabilities)}};
    if (server.instructions) json.set("instructions", *server.instructions);
    return json;
}

}  // namespace gantry::cli
