#pragma once

#include "gantry/mcp/content.hpp"
#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

/// Untrusted hints about a tool's behaviour.
struct ToolAnnotations {
    std::optional<std::string> title = {};
    std::optional<bool> read_only_hint = {};
    std::optional<bool> destructive_hint = {};
    std::optional<bool> idempotent_hint = {};
    std::optional<bool> open_world_hint = {};
    JsonObject extra = {};

    /// The hints, with the specification's defaults applied.
    bool read_only() const noexcept { return read_only_hint.value_or(false); }
    bool destructive() const noexcept { return !read_only() && destructive_hint.value_or(true); }
    bool idempotent() const noexcept { return read_only() || idempotent_hint.value_or(false); }
    bool open_world() const noexcept { return open_world_hint.value_or(true); }

    bool operator==(const ToolAnnotations&) const = default;
};

enum class TaskSupport : std::uint8_t { kForbidden, kOptional, kRequired };

/// 2025-11-25 only: whether tools/call may or must be run as an experimental task.
struct ToolExecution {
    std::optional<Open<TaskSupport>> task_support = {};
    JsonObject extra = {};

    bool operator==(const ToolExecution&) const = default;
};

struct Tool {
    std::string name = {};
    std::optional<std::string> title = {};
    std::optional<std::string> description = {};
    /// JSON Schema of the arguments, with every keyword and their order preserved.
    Json input_schema = JsonObject{{"type", "object"}};
    std::optional<Json> output_schema = {};
    std::optional<ToolAnnotations> annotations = {};
    std::optional<ToolExecution> execution = {};
    std::vector<Icon> icons = {};
    JsonObject meta = {};
    JsonObject extra = {};

    /// The name to display: title, else the annotations' title, else the name.
    const std::string& display_name() const noexcept;

    bool operator==(const Tool&) const = default;
};

struct ListToolsResult {
    std::vector<Tool> tools = {};
    std::optional<std::string> next_cursor = {};
    std::int64_t ttl_ms = 0;  ///< modern only; 0 = stale at once
    Open<CacheScope> cache_scope = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListToolsResult&) const = default;
};

/// Requests an experimental task (2025-11-25) instead of an immediate answer.
struct TaskMetadata {
    std::optional<std::int64_t> ttl_ms = {};
    JsonObject extra = {};

    bool operator==(const TaskMetadata&) const = default;
};

struct CallToolParams {
    std::string name = {};
    JsonObject arguments = {};
    std::optional<TaskMetadata> task = {};  ///< 2025-11-25 only
    /// Responses to an InputRequired and its state; only on a modern retry.
    std::optional<JsonObject> input_responses = {};
    std::optional<std::string> request_state = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const CallToolParams&) const = default;
};

/// The result of a tool that ran; `is_error` says whether it failed.
struct CallToolResult {
    std::vector<Content> content = {};
    /// Any JSON value since 2026-07-28; an object before.
    std::optional<Json> structured_content = {};
    bool is_error = false;
    JsonObject meta = {};
    JsonObject extra = {};

    /// All text content, joined by newlines.
    std::string text() const { return join_text(content); }

    bool operator==(const CallToolResult&) const = default;
};

}  // namespace gantry::mcp
