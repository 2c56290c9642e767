#include "gantry/mcp/sampling.hpp"

#include "mcp/protocol/codec/blocks.hpp"
#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(ToolUseContent, constant("type", "tool_use"), must<&ToolUseContent::id>("id"),
                 must<&ToolUseContent::name>("name"), must<&ToolUseContent::input>("input"),
                 may<&ToolUseContent::meta>("_meta"));

GANTRY_MCP_CODEC(ToolResultContent, constant("type", "tool_result"), must<&ToolResultContent::tool_use_id>("toolUseId"),
                 must<&ToolResultContent::content>("content").strict_since(Revision::k2026_07_28),
                 may<&ToolResultContent::structured_content>("structuredContent").legacy(LegacyForm::kObject),
                 may<&ToolResultContent::is_error>("isError"), may<&ToolResultContent::meta>("_meta"));

template <>
Result<void> Codec<SamplingContent>::read(const Json& json, SamplingContent& out, Revision revision,
                                          const Place& place) {
    const std::string_view type = json.string_at("type");
    if (type == "text") return read_block<TextContent>(json, out, revision, place);
    if (type == "image") return read_block<ImageContent>(json, out, revision, place);
    if (type == "audio") return read_block<AudioContent>(json, out, revision, place);
    if (type == "tool_use") return read_block<ToolUseContent>(json, out, revision, place);
    if (type == "tool_result") return read_block<ToolResultContent>(json, out, revision, place);
    return read_block<UnknownContent>(json, out, revision, place);
}
template <>
Json Codec<SamplingContent>::write(const SamplingContent& value, Revision revision) {
    return write_block(value, revision);
}
GANTRY_MCP_EXPORT(SamplingContent);

Result<void> Codec<std::vector<SamplingContent>>::read(const Json& json, std::vector<SamplingContent>& out,
                                                       Revision revision, const Place& place) {
    out.clear();
    const JsonArray* blocks = json.if_array();
    if (blocks == nullptr) return Codec<SamplingContent>::read(json, out.emplace_back(), revision, place);
    for (std::size_t i = 0; i < blocks->size(); ++i) {
        if (auto read = Codec<SamplingContent>::read((*blocks)[i], out.emplace_back(), revision, place.element(i));
            !read) {
            return read;
        }
    }
    return {};
}

Json Codec<std::vector<SamplingContent>>::write(const std::vector<SamplingContent>& value, Revision revision) {
    if (value.size() == 1) return Codec<SamplingContent>::write(value.front(), revision);
    JsonArray blocks;
    for (const SamplingContent& block : value) blocks.push_back(Codec<SamplingContent>::write(block, revision));
    return blocks;
}

GANTRY_MCP_CODEC(SamplingMessage, must<&SamplingMessage::role>("role"), must<&SamplingMessage::content>("content"),
                 may<&SamplingMessage::meta>("_meta").since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ModelHint, may<&ModelHint::name>("name"));

GANTRY_MCP_CODEC(ModelPreferences, may<&ModelPreferences::hints>("hints").hint(),
                 may<&ModelPreferences::cost_priority>("costPriority").hint(),
                 may<&ModelPreferences::speed_priority>("speedPriority").hint(),
                 may<&ModelPreferences::intelligence_priority>("intelligencePriority").hint());

GANTRY_MCP_CODEC(ToolChoice, may<&ToolChoice::mode>("mode"));

GANTRY_MCP_CODEC(CreateMessageParams, must<&CreateMessageParams::messages>("messages"),
                 must<&CreateMessageParams::max_tokens>("maxTokens"),
                 may<&CreateMessageParams::system_prompt>("systemPrompt"),
                 may<&CreateMessageParams::model_preferences>("modelPreferences").hint(),
                 may<&CreateMessageParams::include_context>("includeContext"),
                 may<&CreateMessageParams::temperature>("temperature"),
                 may<&CreateMessageParams::stop_sequences>("stopSequences"),
                 may<&CreateMessageParams::metadata>("metadata").hint(),
                 may<&CreateMessageParams::tools>("tools").since(Revision::k2025_11_25),
                 may<&CreateMessageParams::tool_choice>("toolChoice").since(Revision::k2025_11_25),
                 may<&CreateMessageParams::task>("task").since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may<&CreateMessageParams::meta>("_meta").until(Revision::k2025_11_25));

GANTRY_MCP_CODEC(CreateMessageResult, must<&CreateMessageResult::role>("role"),
                 must<&CreateMessageResult::content>("content"), must<&CreateMessageResult::model>("model"),
                 may<&CreateMessageResult::stop_reason>("stopReason"), may<&CreateMessageResult::meta>("_meta"));

}  // namespace gantry::mcp
