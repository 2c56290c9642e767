#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/config/config.hpp"
#include "app/gateway/reload_plan.hpp"
#include "base/redact/redactor.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gateway/identity/upstream_logins.hpp"
#include "gateway/policy/pin_book.hpp"
#include "io/context.hpp"
#include "io/http/server.hpp"
#include "io/task.hpp"

namespace gantry::gateway::events {
class Log;
}
namespace gantry {
class Loop;
class Stream;
}  // namespace gantry

namespace gantry::gateway {
class Approvals;
class Gates;
}  // namespace gantry::gateway

namespace gantry::app {

class Observability;

/// Output channels to the operator.
struct Notes {
    /// Reports one line to the operator.
    std::function<void(std::string_view)> note = {};
    /// The same for a line about one server; unset: it goes to `note`.
    std::function<void(std::string_view server, std::string_view text)> server_note = {};
    /// Log for calls and events; null: none. Must outlive the gateway.
    gateway::events::Log* log = nullptr;
    /// Receives the stderr lines of child processes, unredacted if `log` redacts them itself; unset: dropped.
    std::function<void(std::string_view server, std::string_view line)> server_stderr = {};
    /// Removes secrets from all of this, and from errors sent to clients. Null: the app creates its own.
    std::shared_ptr<Redactor> redactor = {};
};

/// The composition root of the gateway: sources, registry, pipeline, surface, listener.
///
///     GatewayApp app(loop, config, notes);
///     GANTRY_TRY(…, app.start());
///     GANTRY_TRY(…, app.listen());            // HTTP; or co_await app.serve(ctx, stream) for a pipe
///     …
///     co_await app.stop();                    // required after start(), also when listen() failed
class GatewayApp {
public:
    GatewayApp(Loop& loop, Config config, Notes notes);
    ~GatewayApp();
    GatewayApp(const GatewayApp&) = delete;
    GatewayApp& operator=(const GatewayApp&) = delete;

    /// Reads keys and names from the state folder and starts the sources; does not wait for them.
    Result<void> start();
    /// Reads the revoked sessions, then binds the configured address. Refuses an address that other machines can reach,
    /// unless the configuration explicitly allows it.
    Result<void> listen();
    /// "http://127.0.0.1:8090/mcp"; after listen().
    std::string url() const;

    /// Serves MCP on one stream until its peer or the context ends; calls still in flight may be answered within the
    /// stop timeout.
    Task<Result<void>> serve(const Context& ctx, Stream& stream);

    /// Waits until every server has answered once or failed, but no longer than lists wait for them.
    Task<void> settled(const Context& ctx);
    /// An Error when a server that is required for the start cannot be reached.
    Task<Result<void>> require(const Context& ctx);
    /// Human-readable: servers, tools, and problems.
    std::string summary() const;

    /// Applies another configuration while calls are running. New servers are connected first, then everything is
    /// swapped at once, and what is no longer needed ends when its calls have. On an error nothing has changed. One at
    /// a time.
    Task<Result<ReloadPlan>> reload(const Context& ctx, Config next);

    /// Reports a configuration change that waits for an operator's reload, and why: logged once, published, and shown
    /// in status(). Empty: nothing waits any more.
    void configuration_waits(const std::string& why);
    /// The isolated server that could have written the configuration; empty: none.
    std::string may_write_configuration() const;

    /// The event feed as an event stream. After start().
    http::Handler event_feed();
    /// Recording and telemetry; on the loop, after start().
    Observability& watching();

    /// Grace period of a stop before force is used.
    Duration stop_timeout() const;
    /// For `gantry status`: the state of every server.
    Json status() const;
    /// The folder of keys, names and the control socket, valid only in this process; after start().
    const std::filesystem::path& state_dir() const;
    /// Pending approvals; on the loop, after start().
    gateway::Approvals& approvals();
    /// Tools whose definition has changed, and accepting the new one.
    std::vector<gateway::PinBook::Place> changed_tools() const;
    Result<void> accept_tool(const std::string& server, const std::string& tool);
    /// Refreshes the lists of one server, or of all (`server` empty); returns what each offers now.
    Task<Result<Json>> refresh(const Context& ctx, std::string server);
    /// Gives a server a new connection, or a new process, and closes its breaker. The new one is connected first, then
    /// swapped in; the old one ends when its calls have. kNotFound: the configuration has no such server.
    Task<Result<void>> restart(const Context& ctx, std::string server);
    /// Logs in to a server with OAuth. `show` receives the URL that a person has to visit; the server is then
    /// reconnected with the tokens. kNotFound: the configuration has no such server.
    Task<Result<void>> log_in(const Context& ctx, std::string server, gateway::LoginRequest wish,
                              std::function<void(const std::string& url)> show);
    /// Breakers, concurrency and rates of the servers; on the loop.
    gateway::Gates& gates();

    /// Starts the grace period for calls and servers (`stop_timeout`).
    void begin_stop();
    /// Ends the grace period: whatever still runs is ended by force, in about a second.
    void force_stop();
    /// Stops in reverse order of the start: refuses new calls, lets running ones finish, stops the servers, then
    /// everything else. When the grace period is over, whatever remains is ended by force, in any state.
    Task<void> stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::app
