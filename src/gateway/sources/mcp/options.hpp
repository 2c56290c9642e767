#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/mcp/values.hpp"
#include "io/context.hpp"
#include "io/http/authorization.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "mcp/client/open.hpp"

namespace gantry::mcp {
class EraCache;
}

namespace gantry {
class Worker;
}

namespace gantry::gateway {

class InventoryStore;
class Sandbox;
class SecretResolver;
class StartLimiter;

/// Settings of an MCP source beyond its configuration. One value may serve all sources.
struct McpSourceOptions {
    /// The identity the gateway presents to servers.
    mcp::Implementation self{.name = "gantry", .version = "0.1.0"};
    /// Overrides the configured timeout.
    std::optional<Duration> connect_timeout = {};
    /// How long a lost server's items stay listed while it is being reconnected.
    Duration grace = seconds(15);
    /// Back-off between attempts to reach a server that was never reached.
    Duration retry_first = milliseconds(500);
    Duration retry_longest = seconds(60);

    /// Lifetime of parked calls: those that wait for a modern client's answer to a legacy server's question.
    Duration park_ttl = std::chrono::minutes(5);
    std::size_t max_parked = 256;
    std::size_t max_parked_per_principal = 16;
    /// Questions asked within this window reach the client together.
    Duration coalesce = milliseconds(30);

    /// Limit on connections besides the shared one: lanes of principals, of client sessions and of single calls.
    std::size_t max_lanes_total = 256;
    /// Limit on callers that wait for lanes of one key.
    std::size_t max_waiting = 1000;

    /// Limit on tasks of 2025-11-25 that are followed for clients.
    std::size_t max_tasks = 256;
    Duration task_keep = std::chrono::hours(1);

    /// Limit on entries read per list.
    std::size_t max_list_entries = 10'000;
    /// Reads long lists off the loop; shared by all sources. Null: read on the loop, a few entries at a time.
    std::shared_ptr<Worker> list_reader = {};

    /// Cancelled to shut down by force: servers that are ending are then killed within a second.
    CancelToken force_stop = {};

    /// Shared by all sources, so that startup does not launch every server at once. Null: the source uses its own.
    std::shared_ptr<StartLimiter> starts = {};
    /// The era each server spoke last time. Null: the source uses its own.
    std::shared_ptr<mcp::EraCache> eras = {};
    net::EgressRules egress = {};
    /// Resolves secret references at every connect. Null: the configuration is used verbatim.
    std::shared_ptr<SecretResolver> secrets = {};
    /// Credentials for an HTTP server that a person logged in to; null: it needs none. `client` outlives them. Unset:
    /// no server has any.
    std::function<std::unique_ptr<http::Authorization>(const McpServerSpec& spec, http::Client& client)> authorize = {};
    /// Persists each server's lists across restarts. Null: not persisted.
    std::shared_ptr<InventoryStore> lists = {};
    /// Confines local servers. Null: they run unconfined.
    std::shared_ptr<Sandbox> sandbox = {};
    /// Receives messages for the operator; called on the loop.
    std::function<void(const std::string& source, const std::string& what)> on_problem = {};
    /// Receives the lines a child process writes to stderr.
    std::function<void(const std::string& source, std::string_view line)> on_stderr = {};
    /// Replaces the configured command or URL, for servers inside the process.
    std::function<Result<mcp::Route>()> route = {};
};

}  // namespace gantry::gateway
