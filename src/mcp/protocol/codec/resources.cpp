#include "gantry/mcp/resources.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(Resource, must("uri", &Resource::uri), must("name", &Resource::name),
                 may("title", &Resource::title).since(Revision::k2025_06_18).hint(),
                 may("description", &Resource::description).hint(), may("mimeType", &Resource::mime_type).hint(),
                 may("size", &Resource::size).hint(), may("annotations", &Resource::annotations).hint(),
                 may("icons", &Resource::icons).since(Revision::k2025_11_25).hint(),
                 may("_meta", &Resource::meta).since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ResourceTemplate, must("uriTemplate", &ResourceTemplate::uri_template),
                 must("name", &ResourceTemplate::name),
                 may("title", &ResourceTemplate::title).since(Revision::k2025_06_18).hint(),
                 may("description", &ResourceTemplate::description).hint(),
                 may("mimeType", &ResourceTemplate::mime_type).hint(),
                 may("annotations", &ResourceTemplate::annotations).hint(),
                 may("icons", &ResourceTemplate::icons).since(Revision::k2025_11_25).hint(),
                 may("_meta", &ResourceTemplate::meta).since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ResourceContents, must("uri", &ResourceContents::uri),
                 may("mimeType", &ResourceContents::mime_type).hint(), may("text", &ResourceContents::text),
                 may("blob", &ResourceContents::blob),
                 may("_meta", &ResourceContents::meta).since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ListResourcesResult, result_type(), must("resources", &ListResourcesResult::resources),
                 may("nextCursor", &ListResourcesResult::next_cursor),
                 always("ttlMs", &ListResourcesResult::ttl_ms).since(Revision::k2026_07_28).hint().non_negative(),
                 always("cacheScope", &ListResourcesResult::cache_scope).since(Revision::k2026_07_28).hint(),
                 may("_meta", &ListResourcesResult::meta));

GANTRY_MCP_CODEC(
    ListResourceTemplatesResult, result_type(),
    must("resourceTemplates", &ListResourceTemplatesResult::resource_templates),
    may("nextCursor", &ListResourceTemplatesResult::next_cursor),
    always("ttlMs", &ListResourceTemplatesResult::ttl_ms).since(Revision::k2026_07_28).hint().non_negative(),
    always("cacheScope", &ListResourceTemplatesResult::cache_scope).since(Revision::k2026_07_28).hint(),
    may("_meta", &ListResourceTemplatesResult::meta));

GANTRY_MCP_CODEC(ReadResourceParams, must("uri", &ReadResourceParams::uri),
                 may("inputResponses", &ReadResourceParams::input_responses).since(Revision::k2026_07_28),
                 may("requestState", &ReadResourceParams::request_state).since(Revision::k2026_07_28),
                 may("_meta", &ReadResourceParams::meta));

GANTRY_MCP_CODEC(ReadResourceResult, result_type(), must("contents", &ReadResourceResult::contents),
                 always("ttlMs", &ReadResourceResult::ttl_ms).since(Revision::k2026_07_28).hint().non_negative(),
                 always("cacheScope", &ReadResourceResult::cache_scope).since(Revision::k2026_07_28).hint(),
                 may("_meta", &ReadResourceResult::meta));

GANTRY_MCP_CODEC(SubscribeParams, must("uri", &SubscribeParams::uri), may("_meta", &SubscribeParams::meta));

GANTRY_MCP_CODEC(ResourceUpdated, must("uri", &ResourceUpdated::uri), may("_meta", &ResourceUpdated::meta));

}  // namespace gantry::mcp
