#include "gantry/mcp/lifecycle.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(RootsCapability, may("listChanged", &RootsCapability::list_changed).until(Revision::k2025_11_25));

GANTRY_MCP_CODEC(SamplingCapability, may("context", &SamplingCapability::context).since(Revision::k2025_11_25),
                 may("tools", &SamplingCapability::tools).since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ElicitationCapability, may("form", &ElicitationCapability::form).since(Revision::k2025_11_25),
                 may("url", &ElicitationCapability::url).since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(TasksCapability, may("list", &TasksCapability::list), may("cancel", &TasksCapability::cancel),
                 may("requests", &TasksCapability::requests));

// Extensions were declared in legacy handshakes before the schema had a place for them.
GANTRY_MCP_CODEC(ClientCapabilities, may("roots", &ClientCapabilities::roots),
                 may("sampling", &ClientCapabilities::sampling),
                 may("elicitation", &ClientCapabilities::elicitation).since(Revision::k2025_06_18),
                 may("tasks", &ClientCapabilities::tasks).since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may("experimental", &ClientCapabilities::experimental),
                 may("extensions", &ClientCapabilities::extensions).since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ListChangedCapability, may("listChanged", &ListChangedCapability::list_changed));

GANTRY_MCP_CODEC(ResourcesCapability, may("subscribe", &ResourcesCapability::subscribe),
                 may("listChanged", &ResourcesCapability::list_changed));

GANTRY_MCP_CODEC(ServerCapabilities, may("tools", &ServerCapabilities::tools),
                 may("prompts", &ServerCapabilities::prompts), may("resources", &ServerCapabilities::resources),
                 may("completions", &ServerCapabilities::completions).since(Revision::k2025_03_26),
                 may("logging", &ServerCapabilities::logging),
                 may("tasks", &ServerCapabilities::tasks).since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may("experimental", &ServerCapabilities::experimental),
                 may("extensions", &ServerCapabilities::extensions).since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(InitializeParams, must("protocolVersion", &InitializeParams::protocol_version),
                 must("capabilities", &InitializeParams::capabilities),
                 must("clientInfo", &InitializeParams::client_info), may("_meta", &InitializeParams::meta));

GANTRY_MCP_CODEC(InitializeResult, must("protocolVersion", &InitializeResult::protocol_version),
                 must("capabilities", &InitializeResult::capabilities),
                 must("serverInfo", &InitializeResult::server_info),
                 may("instructions", &InitializeResult::instructions).hint(), may("_meta", &InitializeResult::meta));

GANTRY_MCP_CODEC(DiscoverResult, result_type(), must("supportedVersions", &DiscoverResult::supported_versions),
                 must("capabilities", &DiscoverResult::capabilities),
                 may("instructions", &DiscoverResult::instructions).hint(),
                 always("ttlMs", &DiscoverResult::ttl_ms).hint().non_negative(),
                 always("cacheScope", &DiscoverResult::cache_scope).hint(), may("_meta", &DiscoverResult::meta));

}  // namespace gantry::mcp
