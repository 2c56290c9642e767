#pragma once

#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

struct RootsCapability {
    std::optional<bool> list_changed = {};  ///< legacy only
    JsonObject extra = {};

    bool operator==(const RootsCapability&) const = default;
};

struct SamplingCapability {
    std::optional<JsonObject> context = {};  ///< may include context of other servers
    std::optional<JsonObject> tools = {};    ///< may be given tools
    JsonObject extra = {};

    bool operator==(const SamplingCapability&) const = default;
};

struct ElicitationCapability {
    std::optional<JsonObject> form = {};
    std::optional<JsonObject> url = {};
    JsonObject extra = {};

    /// An empty declaration means form mode, as before modes existed.
    bool supports_form() const noexcept { return form.has_value() || !url.has_value(); }
    bool supports_url() const noexcept { return url.has_value(); }

    bool operator==(const ElicitationCapability&) const = default;
};

/// Experimental tasks of 2025-11-25. `requests` names the requests that may run as a task:
/// {"tools":{"call":{}}} for a server, {"sampling":{"createMessage":{}}} for a client.
struct TasksCapability {
    std::optional<JsonObject> list = {};
    std::optional<JsonObject> cancel = {};
    std::optional<JsonObject> requests = {};
    JsonObject extra = {};

    bool operator==(const TasksCapability&) const = default;
};

/// The client's capabilities: for the session (legacy) or for one request (modern).
struct ClientCapabilities {
    std::optional<RootsCapability> roots = {};
    std::optional<SamplingCapability> sampling = {};
    std::optional<ElicitationCapability> elicitation = {};
    std::optional<TasksCapability> tasks = {};  ///< 2025-11-25 only
    JsonObject experimental = {};
    JsonObject extensions = {};  ///< settings by extension id
    JsonObject extra = {};

    bool operator==(const ClientCapabilities&) const = default;
};

struct ListChangedCapability {
    std::optional<bool> list_changed = {};
    JsonObject extra = {};

    bool operator==(const ListChangedCapability&) const = default;
};

struct ResourcesCapability {
    std::optional<bool> subscribe = {};
    std::optional<bool> list_changed = {};
    JsonObject extra = {};

    bool operator==(const ResourcesCapability&) const = default;
};

struct ServerCapabilities {
    std::optional<ListChangedCapability> tools = {};
    std::optional<ListChangedCapability> prompts = {};
    std::optional<ResourcesCapability> resources = {};
    std::optional<JsonObject> completions = {};  ///< declared since 2025-03-26
    std::optional<JsonObject> logging = {};
    std::optional<TasksCapability> tasks = {};  ///< 2025-11-25 only
    JsonObject experimental = {};
    JsonObject extensions = {};  ///< settings by extension id
    JsonObject extra = {};

    bool operator==(const ServerCapabilities&) const = default;
};

/// Id of the tasks extension, a key of `extensions`.
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

struct InitializeParams {
    std::string protocol_version = {};
    ClientCapabilities capabilities = {};
    Implementation client_info = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const InitializeParams&) const = default;
};

struct InitializeResult {
    std::string protocol_version = {};
    ServerCapabilities capabilities = {};
    Implementation server_info = {};
    std::optional<std::string> instructions = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const InitializeResult&) const = default;
};

/// The answer to server/discover. The server's identity is in `meta`; see read_server_info().
struct DiscoverResult {
    std::vector<std::string> supported_versions = {};
    ServerCapabilities capabilities = {};
    std::optional<std::string> instructions = {};
    std::int64_t ttl_ms = 0;
    Open<CacheScope> cache_scope = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const DiscoverResult&) const = default;
};

}  // namespace gantry::mcp
