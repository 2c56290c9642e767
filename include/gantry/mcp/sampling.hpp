#pragma once

#include "gantry/mcp/tools.hpp"

namespace gantry::mcp {

/// The model's request to run a tool. Since 2025-11-25.
struct ToolUseContent {
    std::string id = {};
    std::string name = {};
    JsonObject input = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ToolUseContent&) const = default;
};

/// The result of that tool. Since 2025-11-25.
struct ToolResultContent {
    std::string tool_use_id = {};
    std::vector<Content> content = {};
    std::optional<Json> structured_content = {};
    bool is_error = false;
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ToolResultContent&) const = default;
};

using SamplingContent =
    std::variant<TextContent, ImageContent, AudioContent, ToolUseContent, ToolResultContent, UnknownContent>;

struct SamplingMessage {
    Open<Role> role = {};
    /// A single block is sent as an object, which every revision reads; several as an array (since 2025-11-25).
    std::vector<SamplingContent> content = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const SamplingMessage&) const = default;
};

struct ModelHint {
    std::optional<std::string> name = {};
    JsonObject extra = {};

    bool operator==(const ModelHint&) const = default;
};

/// Priorities range from 0 (irrelevant) to 1.
struct ModelPreferences {
    std::vector<ModelHint> hints = {};
    std::optional<double> cost_priority = {};
    std::optional<double> speed_priority = {};
    std::optional<double> intelligence_priority = {};
    JsonObject extra = {};

    bool operator==(const ModelPreferences&) const = default;
};

enum class IncludeContext : std::uint8_t { kNone, kThisServer, kAllServers };
enum class ToolChoiceMode : std::uint8_t { kAuto, kRequired, kNone };

struct ToolChoice {
    std::optional<Open<ToolChoiceMode>> mode = {};
    JsonObject extra = {};

    bool operator==(const ToolChoice&) const = default;
};

/// A server asks the client to sample a model.
struct CreateMessageParams {
    std::vector<SamplingMessage> messages = {};
    std::int64_t max_tokens = 0;
    std::optional<std::string> system_prompt = {};
    std::optional<ModelPreferences> model_preferences = {};
    std::optional<Open<IncludeContext>> include_context = {};
    std::optional<double> temperature = {};
    std::vector<std::string> stop_sequences = {};
    std::optional<JsonObject> metadata = {};
    std::vector<Tool> tools = {};  ///< only for clients that declared sampling.tools
    std::optional<ToolChoice> tool_choice = {};
    std::optional<TaskMetadata> task = {};  ///< 2025-11-25 only
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const CreateMessageParams&) const = default;
};

struct CreateMessageResult {
    Open<Role> role = Role::kAssistant;
    std::vector<SamplingContent> content = {};
    std::string model = {};
    std::optional<std::string> stop_reason = {};  ///< "endTurn", "stopSequence", "maxTokens", "toolUse" or another
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const CreateMessageResult&) const = default;
};

}  // namespace gantry::mcp
