#pragma once

#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

/// notifications/progress: progress of the request that carried the token.
struct Progress {
    ProgressToken token = {};
    double progress = 0;
    std::optional<double> total = {};
    std::optional<std::string> message = {};  ///< since 2025-03-26
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const Progress&) const = default;
};

/// notifications/message.
struct LogMessage {
    Open<LogLevel> level = {};
    std::optional<std::string> logger = {};
    Json data = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const LogMessage&) const = default;
};

/// The legacy logging/setLevel.
struct SetLevelParams {
    Open<LogLevel> level = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const SetLevelParams&) const = default;
};

/// notifications/cancelled. In 2025-11-25 the id may be absent, for tasks.
struct Cancelled {
    std::optional<RequestId> request_id = {};
    std::optional<std::string> reason = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const Cancelled&) const = default;
};

/// The notifications a client subscribes to; in the acknowledgement, those the server will send.
struct SubscriptionFilter {
    std::optional<bool> tools_list_changed = {};
    std::optional<bool> prompts_list_changed = {};
    std::optional<bool> resources_list_changed = {};
    std::vector<std::string> resource_subscriptions = {};  ///< URIs
    std::vector<std::string> task_ids = {};                ///< tasks extension
    JsonObject extra = {};

    bool operator==(const SubscriptionFilter&) const = default;
};

/// Params of the modern subscriptions/listen.
struct ListenParams {
    SubscriptionFilter notifications = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListenParams&) const = default;
};

/// notifications/subscriptions/acknowledged.
struct SubscriptionsAcknowledged {
    SubscriptionFilter notifications = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const SubscriptionsAcknowledged&) const = default;
};

}  // namespace gantry::mcp
