#include "gantry/mcp/encode.hpp"

#include "mcp/protocol/codec.hpp"

namespace gantry::mcp {

Json to_json(const Tool& value) {
    // `execution` exists in 2025-11-25 only; a listing shows it all the same.
    Json json = encode(value, Revision::k2026_07_28);
    if (value.execution) json.if_object()->set("execution", encode(*value.execution, Revision::k2025_11_25));
    return json;
}
Json to_json(const Prompt& value) {
    return encode(value, Revision::k2026_07_28);
}
Json to_json(const Resource& value) {
    return encode(value, Revision::k2026_07_28);
}
Json to_json(const ResourceTemplate& value) {
    return encode(value, Revision::k2026_07_28);
}
Json to_json(const CallToolResult& value) {
    return encode(value, Revision::k2026_07_28);
}
Json to_json(const ReadResourceResult& value) {
    return encode(value, Revision::k2026_07_28);
}
Json to_json(const GetPromptResult& value) {
    return encode(value, Revision::k2026_07_28);
}
Json to_json(const Implementation& value) {
    return encode(value, Revision::k2026_07_28);
}
Json to_json(const ServerCapabilities& value) {
    return encode(value, Revision::k2026_07_28);
}

}  // namespace gantry::mcp
