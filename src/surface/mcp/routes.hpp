#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "io/http/server.hpp"
#include "mcp/server/http_endpoint.hpp"
#include "surface/mcp/gateway_backend.hpp"

namespace gantry::surface {

struct RouteOptions {
    std::string path = "/mcp";
    std::string sse_path = "/sse";
    std::string sse_message_path = "/messages";
    /// Whether calls to a source keep failing, regardless of its connection's state; unset: never.
    std::function<bool(const std::string& source)> failing = {};
};

/// Every HTTP path of the gateway, with MCP at its default path:
///
///     POST GET DELETE /mcp, /mcp/servers/NAME, /mcp/groups/NAME     MCP, both eras
///     GET /sse, POST /messages                                      MCP over HTTP+SSE
///     GET /mcp/tools                                                the tools as plain JSON
///     GET /mcp/summary                                              what is connected, in sentences
///     GET /health, /ready                                           for operators and load balancers
///     GET paths passed to add()                                     metrics, events
///     /mcp/approvals/ID, if a handler was added                     see add_below()
class Routes {
public:
    /// All must outlive the routes.
    Routes(Gateway& gateway, mcp::HttpEndpoint& endpoint, RouteOptions options);

    Task<void> handle(const Context& ctx, http::Exchange& exchange);
    /// Changes the path of MCP; requests in progress are not affected.
    void set_path(std::string path) { options_.path = std::move(path); }
    /// False: /ready answers 503, before the listener is up and while the gateway drains. True: /ready follows the
    /// registry.
    void set_accepting(bool accepting) noexcept { accepting_ = accepting; }

    /// Adds a read-only path with its own handler, which receives no request with a foreign Host or Origin.
    void add(std::string path, http::Handler handler) { others_.insert_or_assign(std::move(path), std::move(handler)); }

    /// Adds everything one level below a path of ours ("/mcp/" + `name` + "/…"), with any method and any origin: the
    /// handler must authenticate its callers itself.
    void add_below(const std::string& name, http::Handler handler) {
        below_.insert_or_assign(name + "/", std::move(handler));
    }

private:
    GatewayBackend* backend_for(std::string_view scope);
    Task<void> tools(const Context& ctx, http::Exchange& exchange);
    Task<void> not_found(const Context& ctx, http::Exchange& exchange);
    Task<void> health(const Context& ctx, http::Exchange& exchange);
    Task<void> readiness(const Context& ctx, http::Exchange& exchange);
    Task<void> serve_other(const Context& ctx, http::Exchange& exchange, const http::Handler& handler);

    Gateway& gateway_;
    mcp::HttpEndpoint& endpoint_;
    RouteOptions options_;
    std::map<std::string, http::Handler, std::less<>> others_;
    std::map<std::string, http::Handler, std::less<>> below_;
    bool accepting_ = false;
    TimePoint began_ = SteadyClock::now();
    std::map<std::string, std::unique_ptr<GatewayBackend>, std::less<>> backends_;
};

}  // namespace gantry::surface
