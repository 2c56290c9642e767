#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/config/config.hpp"
#include "gantry/error.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {
class Loop;
class Stream;
}  // namespace gantry

namespace gantry::app {

/// What the operator hears.
struct Notes {
    /// One line that somebody should read.
    std::function<void(std::string_view)> note = {};
    /// One line per call; unset: none.
    std::function<void(std::string_view)> call = {};
    /// What child processes say on stderr; unset: dropped.
    std::function<void(std::string_view server, std::string_view line)> server_stderr = {};
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

    /// Speaks MCP on one stream until its other end is finished.
    Task<Result<void>> serve(const Context& ctx, Stream& stream);

    /// Waits until every server has answered once or failed, at most for the settle time.
    Task<void> settled(const Context& ctx);
    /// For people: servers, tools, and what is wrong.
    std::string summary() const;

    /// In order: no new calls, running ones may finish within `grace`, then everything ends.
    Task<void> stop(Duration grace = seconds(10));

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::app
