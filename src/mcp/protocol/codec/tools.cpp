#include "gantry/mcp/tools.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(ToolAnnotations, may("title", &ToolAnnotations::title).hint(),
                 may("readOnlyHint", &ToolAnnotations::read_only_hint).hint(),
                 may("destructiveHint", &ToolAnnotations::destructive_hint).hint(),
                 may("idempotentHint", &ToolAnnotations::idempotent_hint).hint(),
                 may("openWorldHint", &ToolAnnotations::open_world_hint).hint());

GANTRY_MCP_CODEC(ToolExecution, may("taskSupport", &ToolExecution::task_support).hint());

GANTRY_MCP_CODEC(
    Tool, must("name", &Tool::name), may("title", &Tool::title).since(Revision::k2025_06_18).hint(),
    may("description", &Tool::description).hint(), always("inputSchema", &Tool::input_schema),
    may("outputSchema", &Tool::output_schema).since(Revision::k2025_06_18).legacy(LegacyForm::kObjectSchema),
    may("annotations", &Tool::annotations).since(Revision::k2025_03_26).hint(),
    may("execution", &Tool::execution).since(Revision::k2025_11_25).until(Revision::k2025_11_25).hint(),
    may("icons", &Tool::icons).since(Revision::k2025_11_25).hint(),
    may("_meta", &Tool::meta).since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ListToolsResult, result_type(), must("tools", &ListToolsResult::tools),
                 may("nextCursor", &ListToolsResult::next_cursor),
                 always("ttlMs", &ListToolsResult::ttl_ms).since(Revision::k2026_07_28).hint().non_negative(),
                 always("cacheScope", &ListToolsResult::cache_scope).since(Revision::k2026_07_28).hint(),
                 may("_meta", &ListToolsResult::meta));

GANTRY_MCP_CODEC(TaskMetadata, may("ttl", &TaskMetadata::ttl_ms));

GANTRY_MCP_CODEC(CallToolParams, must("name", &CallToolParams::name), always("arguments", &CallToolParams::arguments),
                 may("task", &CallToolParams::task).since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may("inputResponses", &CallToolParams::input_responses).since(Revision::k2026_07_28),
                 may("requestState", &CallToolParams::request_state).since(Revision::k2026_07_28),
                 may("_meta", &CallToolParams::meta));

// Legacy servers exist that leave `content` out; modern ones have no such excuse.
GANTRY_MCP_CODEC(CallToolResult, result_type(),
                 must("content", &CallToolResult::content).strict_since(Revision::k2026_07_28),
                 may("structuredContent", &CallToolResult::structured_content)
                     .since(Revision::k2025_06_18)
                     .legacy(LegacyForm::kObject),
                 may("isError", &CallToolResult::is_error), may("_meta", &CallToolResult::meta));

const std::string& Tool::display_name() const noexcept {
    if (title) return *title;
    if (annotations && annotations->title) return *annotations->title;
    return name;
}

}  // namespace gantry::mcp
