#include "gantry/mcp/notifications.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(Progress, must("progressToken", &Progress::token), must("progress", &Progress::progress),
                 may("total", &Progress::total).hint(),
                 may("message", &Progress::message).since(Revision::k2025_03_26).hint(), may("_meta", &Progress::meta));

GANTRY_MCP_CODEC(LogMessage, must("level", &LogMessage::level), may("logger", &LogMessage::logger).hint(),
                 always("data", &LogMessage::data), may("_meta", &LogMessage::meta));

GANTRY_MCP_CODEC(SetLevelParams, must("level", &SetLevelParams::level), may("_meta", &SetLevelParams::meta));

GANTRY_MCP_CODEC(Cancelled, may("requestId", &Cancelled::request_id), may("reason", &Cancelled::reason).hint(),
                 may("_meta", &Cancelled::meta));

GANTRY_MCP_CODEC(SubscriptionFilter, may("toolsListChanged", &SubscriptionFilter::tools_list_changed),
                 may("promptsListChanged", &SubscriptionFilter::prompts_list_changed),
                 may("resourcesListChanged", &SubscriptionFilter::resources_list_changed),
                 may("resourceSubscriptions", &SubscriptionFilter::resource_subscriptions),
                 may("taskIds", &SubscriptionFilter::task_ids));

GANTRY_MCP_CODEC(ListenParams, must("notifications", &ListenParams::notifications), may("_meta", &ListenParams::meta));

GANTRY_MCP_CODEC(SubscriptionsAcknowledged, must("notifications", &SubscriptionsAcknowledged::notifications),
                 may("_meta", &SubscriptionsAcknowledged::meta));

}  // namespace gantry::mcp
