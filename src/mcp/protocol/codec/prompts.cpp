#include "gantry/mcp/prompts.hpp"

#include "mcp/protocol/codec/blocks.hpp"
#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(PromptArgument, must<&PromptArgument::name>("name"),
                 may<&PromptArgument::title>("title").since(Revision::k2025_06_18).hint(),
                 may<&PromptArgument::description>("description").hint(), may<&PromptArgument::required>("required"));

GANTRY_MCP_CODEC(Prompt, must<&Prompt::name>("name"), may<&Prompt::title>("title").since(Revision::k2025_06_18).hint(),
                 may<&Prompt::description>("description").hint(), may<&Prompt::arguments>("arguments"),
                 may<&Prompt::icons>("icons").since(Revision::k2025_11_25).hint(),
                 may<&Prompt::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ListPromptsResult, result_type(), must<&ListPromptsResult::prompts>("prompts"),
                 may<&ListPromptsResult::next_cursor>("nextCursor"), ttl<&ListPromptsResult::ttl_ms>(),
                 always<&ListPromptsResult::cache_scope>("cacheScope").since(Revision::k2026_07_28).hint(),
                 may<&ListPromptsResult::meta>("_meta"));

GANTRY_MCP_CODEC(GetPromptParams, must<&GetPromptParams::name>("name"), may<&GetPromptParams::arguments>("arguments"),
                 may<&GetPromptParams::input_responses>("inputResponses").since(Revision::k2026_07_28),
                 may<&GetPromptParams::request_state>("requestState").since(Revision::k2026_07_28),
                 may<&GetPromptParams::meta>("_meta"));

GANTRY_MCP_CODEC(PromptMessage, must<&PromptMessage::role>("role"), must<&PromptMessage::content>("content"));

GANTRY_MCP_CODEC(GetPromptResult, result_type(), may<&GetPromptResult::description>("description").hint(),
                 must<&GetPromptResult::messages>("messages"), may<&GetPromptResult::meta>("_meta"));

GANTRY_MCP_CODEC(PromptReference, constant("type", "ref/prompt"), must<&PromptReference::name>("name"),
                 may<&PromptReference::title>("title").since(Revision::k2025_06_18).hint());

GANTRY_MCP_CODEC(ResourceReference, constant("type", "ref/resource"), must<&ResourceReference::uri>("uri"));

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

GANTRY_MCP_CODEC(CompletionArgument, must<&CompletionArgument::name>("name"),
                 must<&CompletionArgument::value>("value"));

GANTRY_MCP_CODEC(CompletionContext, may<&CompletionContext::arguments>("arguments"));

GANTRY_MCP_CODEC(CompleteParams, must<&CompleteParams::ref>("ref"), must<&CompleteParams::argument>("argument"),
                 may<&CompleteParams::context>("context").since(Revision::k2025_06_18),
                 may<&CompleteParams::meta>("_meta"));

GANTRY_MCP_CODEC(Completion, must<&Completion::values>("values"), may<&Completion::total>("total").hint(),
                 may<&Completion::has_more>("hasMore").hint());

GANTRY_MCP_CODEC(CompleteResult, result_type(), must<&CompleteResult::completion>("completion"),
                 may<&CompleteResult::meta>("_meta"));

}  // namespace gantry::mcp
