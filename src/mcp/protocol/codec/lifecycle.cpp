#include "gantry/mcp/lifecycle.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(RootsCapability, may<&RootsCapability::list_changed>("listChanged").until(Revision::k2025_11_25));

GANTRY_MCP_CODEC(SamplingCapability, may<&SamplingCapability::context>("context").since(Revision::k2025_11_25),
                 may<&SamplingCapability::tools>("tools").since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ElicitationCapability, may<&ElicitationCapability::form>("form").since(Revision::k2025_11_25),
                 may<&ElicitationCapability::url>("url").since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(TasksCapability, may<&TasksCapability::list>("list"), may<&TasksCapability::cancel>("cancel"),
                 may<&TasksCapability::requests>("requests"));

// Extensions were declared in legacy handshakes before the schema defined a member for them.
GANTRY_MCP_CODEC(ClientCapabilities, may<&ClientCapabilities::roots>("roots"),
                 may<&ClientCapabilities::sampling>("sampling"),
                 may<&ClientCapabilities::elicitation>("elicitation").since(Revision::k2025_06_18),
                 may<&ClientCapabilities::tasks>("tasks").since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may<&ClientCapabilities::experimental>("experimental"),
                 may<&ClientCapabilities::extensions>("extensions").since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ListChangedCapability, may<&ListChangedCapability::list_changed>("listChanged"));

GANTRY_MCP_CODEC(ResourcesCapability, may<&ResourcesCapability::subscribe>("subscribe"),
                 may<&ResourcesCapability::list_changed>("listChanged"));

GANTRY_MCP_CODEC(ServerCapabilities, may<&ServerCapabilities::tools>("tools"),
                 may<&ServerCapabilities::prompts>("prompts"), may<&ServerCapabilities::resources>("resources"),
                 may<&ServerCapabilities::completions>("completions").since(Revision::k2025_03_26),
                 may<&ServerCapabilities::logging>("logging"),
                 may<&ServerCapabilities::tasks>("tasks").since(Revision::k2025_11_25).until(Revision::k2025_11_25),
                 may<&ServerCapabilities::experimental>("experimental"),
                 may<&ServerCapabilities::extensions>("extensions").since(Revision::k2025_11_25));

GANTRY_MCP_CODEC(InitializeParams, must<&InitializeParams::protocol_version>("protocolVersion"),
                 must<&InitializeParams::capabilities>("capabilities"),
                 must<&InitializeParams::client_info>("clientInfo"), may<&InitializeParams::meta>("_meta"));

GANTRY_MCP_CODEC(InitializeResult, must<&InitializeResult::protocol_version>("protocolVersion"),
                 must<&InitializeResult::capabilities>("capabilities"),
                 must<&InitializeResult::server_info>("serverInfo"),
                 may<&InitializeResult::instructions>("instructions").hint(), may<&InitializeResult::meta>("_meta"));

GANTRY_MCP_CODEC(DiscoverResult, result_type(), must<&DiscoverResult::supported_versions>("supportedVersions"),
                 must<&DiscoverResult::capabilities>("capabilities"),
                 may<&DiscoverResult::instructions>("instructions").hint(), ttl<&DiscoverResult::ttl_ms>(),
                 always<&DiscoverResult::cache_scope>("cacheScope").hint(), may<&DiscoverResult::meta>("_meta"));

}  // namespace gantry::mcp
