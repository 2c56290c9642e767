#include "gantry/mcp/notifications.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(Progress, must<&Progress::token>("progressToken"), must<&Progress::progress>("progress"),
                 may<&Progress::total>("total").hint(),
                 may<&Progress::message>("message").since(Revision::k2025_03_26).hint(), may<&Progress::meta>("_meta"));

GANTRY_MCP_CODEC(LogMessage, must<&LogMessage::level>("level"), may<&LogMessage::logger>("logger").hint(),
                 always<&LogMessage::data>("data"), may<&LogMessage::meta>("_meta"));

GANTRY_MCP_CODEC(SetLevelParams, must<&SetLevelParams::level>("level"), may<&SetLevelParams::meta>("_meta"));

GANTRY_MCP_CODEC(Cancelled, may<&Cancelled::request_id>("requestId"), may<&Cancelled::reason>("reason").hint(),
                 may<&Cancelled::meta>("_meta"));

GANTRY_MCP_CODEC(SubscriptionFilter, may<&SubscriptionFilter::tools_list_changed>("toolsListChanged"),
                 may<&SubscriptionFilter::prompts_list_changed>("promptsListChanged"),
                 may<&SubscriptionFilter::resources_list_changed>("resourcesListChanged"),
                 may<&SubscriptionFilter::resource_subscriptions>("resourceSubscriptions"),
                 may<&SubscriptionFilter::task_ids>("taskIds"));

GANTRY_MCP_CODEC(ListenParams, must<&ListenParams::notifications>("notifications"), may<&ListenParams::meta>("_meta"));

GANTRY_MCP_CODEC(SubscriptionsAcknowledged, must<&SubscriptionsAcknowledged::notifications>("notifications"),
                 may<&SubscriptionsAcknowledged::meta>("_meta"));

}  // namespace gantry::mcp
