#include "gantry/mcp/sampling.hpp"

#include "mcp/protocol/codec/blocks.hpp"
#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(ToolUseContent, constant("type", "tool_use"), must("id", &ToolUseContent::id),
                 must("name", &ToolUseContent::name), must("input", &ToolUseContent::input),
                 may("_meta", &ToolUseContent::meta));

GANTRY_MCP_CODEC(ToolResultContent, constant("type", "tool_result"), must("toolUseId", &ToolResultContent::tool_use_id),
                 must("content", &ToolResultContent::content).strict_since(Revision::k2026_07_28),
                 may("structuredContent", &ToolResultContent::structured_content).legacy(LegacyForm::kObject),
                 may("isError", &ToolResultContent::is_error), may("_meta", &ToolResultContent::meta));

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

GANTRY_MCP_CODEC(SamplingMessage, must("role", &SamplingMessage::role), must("content", &SamplingMessage::content),
                 may("_meta", &SamplingMessage::meta).since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ModelHint, may("name", &ModelHint::name));

GANTRY_MCP_CODEC(ModelPreferences, may("hints", &ModelPreferences::hints).hint(),
                 may("costPriority", &ModelPreferences::cost_priority).hint(),
                 may("speedPriority", &ModelPreferences::speed_priority).hint(),
                 may("intelligencePriority", &ModelPreferences::intelligence_priority).hint());

GANTRY_MCP_CODEC(ToolChoice, may("mode", &ToolChoice::mode));

GANTRY_MCP_CODEC(CreateMessageParams, must("messages", &CreateMessageParams::messages),
                 must("maxTokens", &CreateMessageParams::max_tokens),
                 may("systemPrompt", &CreateMessageParams::system_prompt),
                 may("modelPreferences", &CreateMessageParams::model_preferences).hint(),
                 may("includeContext", &CreateMessageParams::include_context),
                 may("temperature", &CreateMessageParams::temperature),
                 may("stopSequences", &CreateMessageParams::stop_sequences),
                 may("metadata", &CreateMessageParams::metadata).hint(),
                 may("tools", &CreateMessageParams::tools).since(Revision::k2025_11_25),
                 may("toolChoice", &CreateMessageParams::tool_choice).since(Revision::k2025_11_25),
                 may("task", &CreateMessageParams::task).since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may("_meta", &CreateMessageParams::meta).until(Revision::k2025_11_25));

GANTRY_MCP_CODEC(CreateMessageResult, must("role", &CreateMessageResult::role),
                 must("content", &CreateMessageResult::content), must("model", &CreateMessageResult::model),
                 may("stopReason", &CreateMessageResult::stop_reason), may("_meta", &CreateMessageResult::meta));

}  // namespace gantry::mcp
