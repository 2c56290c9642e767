#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/config/config.hpp"
#include "app/gateway/logins.hpp"
#include "app/gateway/reload_plan.hpp"
#include "base/redact/redactor.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"
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

/// What the operator hears.
struct Notes {
    /// One line that somebody should read.
    std::function<void(std::string_view)> note = {};
    /// The same where it is about one server; unset: it is a note like others.
    std::function<void(std::string_view server, std::string_view text)> server_note = {};
    /// Lines for calls and events; null: none. Must outlive the gateway.
    gateway::events::Log* log = nullptr;
    /// What child processes say on stderr, unredacted where `log` takes secrets out itself; unset: dropped.
    std::function<void(std::string_view server, std::string_view line)> server_stderr = {};
    /// Takes the secrets out of all of this, and out of errors clients see. Null: the app has one of its own.
    std::shared_ptr<Redactor> redactor = {};
};

/// The gateway, wired: sources, registry, pipeline, surface, listener. The only place that knows them all.
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

    /// Reads keys and names from the state folder and lets the sources begin; returns at once.
    Result<void> start();
    /// Reads which sessions were ended, then binds the configured address. Refuses one that others can reach unless
    /// configuration says so in words.
    Result<void> listen();
    /// "http://127.0.0.1:8090/mcp"; after listen().
    std::string url() const;

    /// Speaks MCP on one stream until its other end or the context is finished; calls that run then may be answered
    /// within the time a stop has.
    Task<Result<void>> serve(const Context& ctx, Stream& stream);

    /// Waits until every server has answered once or failed, but not longer than lists wait for them.
    Task<void> settled(const Context& ctx);
    /// An Error when a server cannot be reached without which the gateway is not to start.
    Task<Result<void>> require(const Context& ctx);
    /// For people: servers, tools, and what is wrong.
    std::string summary() const;

    /// Another configuration while calls go on. New servers are connected first, then everything is swapped at once,
    /// and what is not needed any more ends when its calls have. An error: nothing has changed. One at a time.
    Task<Result<ReloadPlan>> reload(const Context& ctx, Config next);

    /// Reports a configuration change that waits for an operator's reload, and why: logged once, published, and shown
    /// in status(). Empty: nothing waits any more.
    void configuration_waits(const std::string& why);
    /// The isolated server that could have written the configuration; empty: none.
    std::string may_write_configuration() const;

    /// What happens, as an event stream. After start().
    http::Handler event_feed();
    /// Whatever watches; on the loop, after start().
    Observability& watching();

    /// How long a stop may take before force is used.
    Duration stop_timeout() const;
    /// For `gantry status`: how every server stands.
    Json status() const;
    /// Leads to keys, names and the control socket, in this process only; after start().
    const std::filesystem::path& state_dir() const;
    /// Calls that wait for a person; on the loop, after start().
    gateway::Approvals& approvals();
    /// Tools described differently from before, and agreeing to one.
    std::vector<gateway::PinBook::Place> changed_tools() const;
    Result<void> accept_tool(const std::string& server, const std::string& tool);
    /// Lists read anew, of one server or of all (`server` empty); what each offers now.
    Task<Result<Json>> refresh(const Context& ctx, std::string server);
    /// Gives a server a new connection, or a new process, and closes its breaker. The new one is connected first, then
    /// swapped in; the old one ends when its calls have. kNotFound: the configuration has no such server.
    Task<Result<void>> restart(const Context& ctx, std::string server);
    /// Logs in to a server with OAuth. `show` receives the URL that a person has to visit; the server is then
    /// reconnected with the tokens. kNotFound: the configuration has no such server.
    Task<Result<void>> log_in(const Context& ctx, std::string server, LoginWish wish,
                              std::function<void(const std::string& url)> show);
    /// Breakers, places and rates of the servers; on the loop.
    gateway::Gates& gates();

    /// From now on the time counts that calls and servers may take to end by themselves (`stop_timeout`).
    void begin_stop();
    /// Nothing is waited for any more: what still runs is ended by force, in about a second.
    void hurry();
    /// In order, last started first: no new calls, running ones may finish, then the servers end, then everything else.
    /// When the time is over, all of it is ended by force, whatever state it is in.
    Task<void> stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::app
