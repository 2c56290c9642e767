#include "gantry/mcp/prompts.hpp"

#include "mcp/protocol/codec/blocks.hpp"
#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(PromptArgument, must("name", &PromptArgument::name),
                 may("title", &PromptArgument::title).since(Revision::k2025_06_18).hint(),
                 may("description", &PromptArgument::description).hint(), may("required", &PromptArgument::required));

GANTRY_MCP_CODEC(Prompt, must("name", &Prompt::name), may("title", &Prompt::title).since(Revision::k2025_06_18).hint(),
                 may("description", &Prompt::description).hint(), may("arguments", &Prompt::arguments),
                 may("icons", &Prompt::icons).since(Revision::k2025_11_25).hint(),
                 may("_meta", &Prompt::meta).since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ListPromptsResult, result_type(), must("prompts", &ListPromptsResult::prompts),
                 may("nextCursor", &ListPromptsResult::next_cursor),
                 always("ttlMs", &ListPromptsResult::ttl_ms).since(Revision::k2026_07_28).hint().non_negative(),
                 always("cacheScope", &ListPromptsResult::cache_scope).since(Revision::k2026_07_28).hint(),
                 may("_meta", &ListPromptsResult::meta));

GANTRY_MCP_CODEC(GetPromptParams, must("name", &GetPromptParams::name), may("arguments", &GetPromptParams::arguments),
                 may("inputResponses", &GetPromptParams::input_responses).since(Revision::k2026_07_28),
                 may("requestState", &GetPromptParams::request_state).since(Revision::k2026_07_28),
                 may("_meta", &GetPromptParams::meta));

GANTRY_MCP_CODEC(PromptMessage, must("role", &PromptMessage::role), must("content", &PromptMessage::content));

GANTRY_MCP_CODEC(GetPromptResult, result_type(), may("description", &GetPromptResult::description).hint(),
                 must("messages", &GetPromptResult::messages), may("_meta", &GetPromptResult::meta));

GANTRY_MCP_CODEC(PromptReference, constant("type", "ref/prompt"), must("name", &PromptReference::name),
                 may("title", &PromptReference::title).since(Revision::k2025_06_18).hint());

GANTRY_MCP_CODEC(ResourceReference, constant("type", "ref/resource"), must("uri", &ResourceReference::uri));

template <>
Result<void> Codec<CompletionReference>::read(const Json& json, CompletionReference& out, Revision revision,
                                              const Place& place) {
    const std::string_view type = json.string_at("type");
    if (type == "ref/prompt") return read_block<PromptReference>(json, out, revision, place);
    if (type == "ref/resource") return read_block<ResourceReference>(json, out, revision, place);
    return misfit(place.member("type"), "expected ref/prompt or ref/resource");
}
template <>
Json Codec<CompletionReference>::write(const CompletionReference& value, Revision revision) {
    return write_block(value, revision);
}

GANTRY_MCP_CODEC(CompletionArgument, must("name", &CompletionArgument::name),
                 must("value", &CompletionArgument::value));

GANTRY_MCP_CODEC(CompletionContext, may("arguments", &CompletionContext::arguments));

GANTRY_MCP_CODEC(CompleteParams, must("ref", &CompleteParams::ref), must("argument", &CompleteParams::argument),
                 may("context", &CompleteParams::context).since(Revision::k2025_06_18),
                 may("_meta", &CompleteParams::meta));

GANTRY_MCP_CODEC(Completion, must("values", &Completion::values), may("total", &Completion::total).hint(),
                 may("hasMore", &Completion::has_more).hint());

GANTRY_MCP_CODEC(CompleteResult, result_type(), must("completion", &CompleteResult::completion),
                 may("_meta", &CompleteResult::meta));

}  // namespace gantry::mcp
