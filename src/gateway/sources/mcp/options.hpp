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
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "mcp/client/open.hpp"
#include "mcp/transport/authorization.hpp"

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

/// What holds for an MCP source besides its configuration. One value may serve all sources.
struct McpSourceOptions {
    /// How the gateway names itself to servers.
    mcp::Implementation self{.name = "gantry", .version = "0.1.0"};
    /// In the place of the configured one.
    std::optional<Duration> connect_timeout = {};
    /// How long a lost server's things stay in the lists while it is reconnected.
    Duration grace = seconds(15);
    /// Pauses between attempts to reach a server that was never reached.
    Duration retry_first = milliseconds(500);
    Duration retry_longest = seconds(60);

    /// Calls that wait for a modern client's answer to a legacy server's question.
    Duration park_ttl = std::chrono::minutes(5);
    std::size_t max_parked = 256;
    std::size_t max_parked_per_principal = 16;
    /// Questions a server asks within this time reach the client together.
    Duration coalesce = milliseconds(30);

    /// Connections besides the shared one: lanes, sessions of principals, of clients, of calls.
    std::size_t max_lanes_total = 256;
    /// Callers that may wait for one kind of lane.
    std::size_t max_waiting = 1000;

    /// Tasks of 2025-11-25 followed for clients that know the extension's form.
    std::size_t max_tasks = 256;
    Duration task_keep = std::chrono::hours(1);

    /// Entries of each of a server's lists that are read.
    std::size_t max_list_entries = 10'000;
    /// Reads long lists off the loop; shared by all sources. Null: on the loop, a few entries at a time.
    std::shared_ptr<Worker> list_reader = {};

    /// From when it is cancelled, servers that are to end are ended by force, within a second.
    CancelToken force_stop = {};

    /// Shared by all sources, so that a start of the gateway is no stampede. Null: one of its own.
    std::shared_ptr<StartLimiter> starts = {};
    /// Which era a server spoke last time. Null: one of its own.
    std::shared_ptr<mcp::EraCache> eras = {};
    net::EgressRules egress = {};
    /// Replaces references at every connect. Null: the configuration is taken as it stands.
    std::shared_ptr<SecretResolver> secrets = {};
    /// Credentials for a server over HTTP that a person logged in to; null: it needs none. `client` outlives them.
    /// Unset: no server has any.
    std::function<std::unique_ptr<mcp::Authorization>(const McpServerSpec& spec, http::Client& client)> authorize = {};
    /// Where lists are kept between runs. Null: nowhere.
    std::shared_ptr<InventoryStore> lists = {};
    /// What local servers are kept in. Null: nothing.
    std::shared_ptr<Sandbox> sandbox = {};
    /// Something an operator should know; called on the loop.
    std::function<void(const std::string& source, const std::string& what)> on_problem = {};
    /// A line a child said on stderr.
    std::function<void(const std::string& source, std::string_view line)> on_stderr = {};
    /// In the place of the configured command or URL, for servers inside the process.
    std::function<Result<mcp::Route>()> route = {};
};

}  // namespace gantry::gateway
