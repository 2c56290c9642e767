#include "gantry/mcp/tools.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(ToolAnnotations, may<&ToolAnnotations::title>("title").hint(),
                 may<&ToolAnnotations::read_only_hint>("readOnlyHint").hint(),
                 may<&ToolAnnotations::destructive_hint>("destructiveHint").hint(),
                 may<&ToolAnnotations::idempotent_hint>("idempotentHint").hint(),
                 may<&ToolAnnotations::open_world_hint>("openWorldHint").hint());

GANTRY_MCP_CODEC(ToolExecution, may<&ToolExecution::task_support>("taskSupport").hint());

GANTRY_MCP_CODEC(
    Tool, must<&Tool::name>("name"), may<&Tool::title>("title").since(Revision::k2025_06_18).hint(),
    may<&Tool::description>("description").hint(), always<&Tool::input_schema>("inputSchema"),
    may<&Tool::output_schema>("outputSchema").since(Revision::k2025_06_18).legacy(LegacyForm::kObjectSchema),
    may<&Tool::annotations>("annotations").since(Revision::k2025_03_26).hint(),
    may<&Tool::execution>("execution").since(Revision::k2025_11_25).until(Revision::k2025_11_25).hint(),
    may<&Tool::icons>("icons").since(Revision::k2025_11_25).hint(),
    may<&Tool::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ListToolsResult, result_type(), must<&ListToolsResult::tools>("tools"),
                 may<&ListToolsResult::next_cursor>("nextCursor"), ttl<&ListToolsResult::ttl_ms>(),
                 always<&ListToolsResult::cache_scope>("cacheScope").since(Revision::k2026_07_28).hint(),
                 may<&ListToolsResult::meta>("_meta"));

GANTRY_MCP_CODEC(TaskMetadata, may<&TaskMetadata::ttl_ms>("ttl"));

GANTRY_MCP_CODEC(CallToolParams, must<&CallToolParams::name>("name"), always<&CallToolParams::arguments>("arguments"),
                 may<&CallToolParams::task>("task").since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may<&CallToolParams::input_responses>("inputResponses").since(Revision::k2026_07_28),
                 may<&CallToolParams::request_state>("requestState").since(Revision::k2026_07_28),
                 may<&CallToolParams::meta>("_meta"));

// Some legacy servers omit `content`; for modern ones that is an error.
GANTRY_MCP_CODEC(CallToolResult, result_type(),
                 must<&CallToolResult::content>("content").strict_since(Revision::k2026_07_28),
                 may<&CallToolResult::structured_content>("structuredContent")
                     .since(Revision::k2025_06_18)
                     .legacy(LegacyForm::kObject),
                 may<&CallToolResult::is_error>("isError"), may<&CallToolResult::meta>("_meta"));

const std::string& Tool::display_name() const noexcept {
    if (title) return *title;
    if (annotations && annotations->title) return *annotations->title;
    return name;
}

}  // namespace gantry::mcp
