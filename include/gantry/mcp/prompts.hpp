#pragma once

#include <map>

#include "gantry/mcp/content.hpp"
#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

using StringMap = std::map<std::string, std::string, std::less<>>;

struct PromptArgument {
    std::string name = {};
    std::optional<std::string> title = {};
    std::optional<std::string> description = {};
    bool required = false;
    JsonObject extra = {};

    bool operator==(const PromptArgument&) const = default;
};

struct Prompt {
    std::string name = {};
    std::optional<std::string> title = {};
    std::optional<std::string> description = {};
    std::vector<PromptArgument> arguments = {};
    std::vector<Icon> icons = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const Prompt&) const = default;
};

struct ListPromptsResult {
    std::vector<Prompt> prompts = {};
    std::optional<std::string> next_cursor = {};
    std::int64_t ttl_ms = 0;  ///< modern only; 0 = stale at once
    Open<CacheScope> cache_scope = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListPromptsResult&) const = default;
};

struct GetPromptParams {
    std::string name = {};
    StringMap arguments = {};
    /// Responses to an InputRequired and its state; only on a modern retry.
    std::optional<JsonObject> input_responses = {};
    std::optional<std::string> request_state = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const GetPromptParams&) const = default;
};

struct PromptMessage {
    Open<Role> role = {};
    Content content = {};
    JsonObject extra = {};

    bool operator==(const PromptMessage&) const = default;
};

struct GetPromptResult {
    std::optional<std::string> description = {};
    std::vector<PromptMessage> messages = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const GetPromptResult&) const = default;
};

/// Completion of an argument of a prompt.
struct PromptReference {
    std::string name = {};
    std::optional<std::string> title = {};
    JsonObject extra = {};

    bool operator==(const PromptReference&) const = default;
};

/// Completion of a variable of a resource template.
struct ResourceReference {
    std::string uri = {};
    JsonObject extra = {};

    bool operator==(const ResourceReference&) const = default;
};

using CompletionReference = std::variant<PromptReference, ResourceReference>;

struct CompletionArgument {
    std::string name = {};
    std::string value = {};  ///< the text typed so far
    JsonObject extra = {};

    bool operator==(const CompletionArgument&) const = default;
};

/// Values of arguments that are already filled in. Since 2025-06-18.
struct CompletionContext {
    StringMap arguments = {};
    JsonObject extra = {};

    bool operator==(const CompletionContext&) const = default;
};

struct CompleteParams {
    CompletionReference ref = {};
    CompletionArgument argument = {};
    std::optional<CompletionContext> context = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const CompleteParams&) const = default;
};

struct Completion {
    std::vector<std::string> values = {};  ///< at most 100
    std::optional<std::int64_t> total = {};
    std::optional<bool> has_more = {};
    JsonObject extra = {};

    bool operator==(const Completion&) const = default;
};

struct CompleteResult {
    Completion completion = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const CompleteResult&) const = default;
};

}  // namespace gantry::mcp
