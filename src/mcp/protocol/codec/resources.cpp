#include "gantry/mcp/resources.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(Resource, must<&Resource::uri>("uri"), must<&Resource::name>("name"),
                 may<&Resource::title>("title").since(Revision::k2025_06_18).hint(),
                 may<&Resource::description>("description").hint(), may<&Resource::mime_type>("mimeType").hint(),
                 may<&Resource::size>("size").hint(), may<&Resource::annotations>("annotations").hint(),
                 may<&Resource::icons>("icons").since(Revision::k2025_11_25).hint(),
                 may<&Resource::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ResourceTemplate, must<&ResourceTemplate::uri_template>("uriTemplate"),
                 must<&ResourceTemplate::name>("name"),
                 may<&ResourceTemplate::title>("title").since(Revision::k2025_06_18).hint(),
                 may<&ResourceTemplate::description>("description").hint(),
                 may<&ResourceTemplate::mime_type>("mimeType").hint(),
                 may<&ResourceTemplate::annotations>("annotations").hint(),
                 may<&ResourceTemplate::icons>("icons").since(Revision::k2025_11_25).hint(),
                 may<&ResourceTemplate::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ResourceContents, must<&ResourceContents::uri>("uri"),
                 may<&ResourceContents::mime_type>("mimeType").hint(), may<&ResourceContents::text>("text"),
                 may<&ResourceContents::blob>("blob"),
                 may<&ResourceContents::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ListResourcesResult, result_type(), must<&ListResourcesResult::resources>("resources"),
                 may<&ListResourcesResult::next_cursor>("nextCursor"), ttl<&ListResourcesResult::ttl_ms>(),
                 always<&ListResourcesResult::cache_scope>("cacheScope").since(Revision::k2026_07_28).hint(),
                 may<&ListResourcesResult::meta>("_meta"));

GANTRY_MCP_CODEC(ListResourceTemplatesResult, result_type(),
                 must<&ListResourceTemplatesResult::resource_templates>("resourceTemplates"),
                 may<&ListResourceTemplatesResult::next_cursor>("nextCursor"),
                 ttl<&ListResourceTemplatesResult::ttl_ms>(),
                 always<&ListResourceTemplatesResult::cache_scope>("cacheScope").since(Revision::k2026_07_28).hint(),
                 may<&ListResourceTemplatesResult::meta>("_meta"));

GANTRY_MCP_CODEC(ReadResourceParams, must<&ReadResourceParams::uri>("uri"),
                 may<&ReadResourceParams::input_responses>("inputResponses").since(Revision::k2026_07_28),
                 may<&ReadResourceParams::request_state>("requestState").since(Revision::k2026_07_28),
                 may<&ReadResourceParams::meta>("_meta"));

GANTRY_MCP_CODEC(ReadResourceResult, result_type(), must<&ReadResourceResult::contents>("contents"),
                 ttl<&ReadResourceResult::ttl_ms>(),
                 always<&ReadResourceResult::cache_scope>("cacheScope").since(Revision::k2026_07_28).hint(),
                 may<&ReadResourceResult::meta>("_meta"));

GANTRY_MCP_CODEC(SubscribeParams, must<&SubscribeParams::uri>("uri"), may<&SubscribeParams::meta>("_meta"));

GANTRY_MCP_CODEC(ResourceUpdated, must<&ResourceUpdated::uri>("uri"), may<&ResourceUpdated::meta>("_meta"));

}  // namespace gantry::mcp
