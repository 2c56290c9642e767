#include "client/route.hpp"

#include "base/try.hpp"
#include "client/authorization.hpp"
#include "client/runtime.hpp"
#include "io/net/tls.hpp"
#include "mcp/client/server_identity.hpp"
#include "mcp/transport/http_sse.hpp"
#include "mcp/transport/stdio.hpp"
#include "mcp/transport/streamable_http.hpp"

namespace gantry {

namespace {

mcp::WireTap tap_for(const ConnectOptions& options) {
    if (!options.on_wire) return {};
    return [tell = options.on_wire](const mcp::WireEvent& event) {
        WireEvent seen{.outgoing = event.direction == mcp::WireEvent::Direction::kSent};
        if (!event.method.empty()) {
            seen.text = std::string(event.method) + ' ' + std::string(event.url);
        } else if (event.status != 0) {
            seen.text = "HTTP " + std::to_string(event.status);
        }
        for (const auto& [name, value] : event.headers) seen.text += "\n  " + name + ": " + value;
        if (!event.text.empty()) {
            if (!seen.text.empty()) seen.text += '\n';
            seen.text += event.text;
        }
        tell(seen);
    };
}

Result<mcp::Route> stdio_route(const ConnectOptions& options, const StdioServer& server, const ConnectHooks& hooks) {
    if (server.command.empty()) return fail(ErrorCode::kInvalidArgument, "a stdio server needs a command to start");
    mcp::StdioConfig config{.command = server.command,
                            .args = server.args,
                            .env = server.env,
                            .cwd = server.cwd,
                            .max_line_bytes = options.max_message_bytes,
                            .on_stderr = server.on_stderr,
                            .on_noise = hooks.on_noise,
                            .stop = {.after_eof = server.stop_timeout, .after_term = server.stop_timeout},
                            .tap = tap_for(options),
                            .prepare = hooks.prepare};
    mcp::Route route;
    route.transport = std::make_unique<mcp::StdioTransport>(std::move(config));
    route.wire = mcp::Wire::kPipe;
    route.identity = mcp::stdio_identity(server.cwd, server.command, server.args);
    return route;
}

Result<mcp::Route> http_route(Runtime& runtime, const ConnectOptions& options, const HttpServer& server,
                              std::unique_ptr<HttpParts>& parts) {
    GANTRY_TRY(const Url url, Url::parse(server.url));
    parts = std::make_unique<HttpParts>();
    std::shared_ptr<const net::TlsClientContext> tls;
    if (!server.ca_file.empty()) {
        GANTRY_TRY(tls, net::TlsClientContext::make({.roots = {.file = server.ca_file}}));
    }
    http::ClientOptions http;
    // The call's timeouts limit how long a server may take, not the connection's.
    http.head_timeout = options.call_cap;
    parts->client = std::make_unique<http::Client>(runtime.loop(), parts->guard, http, std::move(tls));
    if (server.authorization) {
        GANTRY_TRY(parts->authorization, make_authorization(runtime, *server.authorization, url, *parts->client));
    }
    const mcp::HttpConfig config{.url = url,
                                 .headers = server.headers,
                                 .client = parts->client.get(),
                                 .authorization = parts->authorization.get(),
                                 .tap = tap_for(options),
                                 .max_body_bytes = options.max_message_bytes,
                                 .max_event_bytes = options.max_message_bytes};
    mcp::Route route;
    route.wire = mcp::Wire::kHttp;
    route.identity = mcp::http_identity(server.url);
    if (server.transport == HttpServer::Transport::kSse) {
        route.transport = std::make_unique<mcp::HttpSseTransport>(mcp::HttpSseConfig{.http = config});
        // That transport supports legacy revisions only and behaves like a pipe.
        route.wire = mcp::Wire::kPipe;
        return route;
    }
    route.transport = std::make_unique<mcp::StreamableHttpTransport>(mcp::StreamableHttpConfig{.http = config});
    if (server.transport == HttpServer::Transport::kAuto) {
        route.http_sse = std::make_unique<mcp::HttpSseTransport>(mcp::HttpSseConfig{.http = config});
    }
    return route;
}

}  // namespace

Result<mcp::Route> make_route(Runtime& runtime, const ConnectOptions& options, const ConnectHooks& hooks,
                              std::unique_ptr<HttpParts>& http) {
    if (const auto* stdio = std::get_if<StdioServer>(&options.server)) return stdio_route(options, *stdio, hooks);
    return http_route(runtime, options, std::get<HttpServer>(options.server), http);
}

std::string server_name(const ConnectOptions& options) {
    if (!options.name.empty()) return options.name;
    if (const auto* stdio = std::get_if<StdioServer>(&options.server)) return stdio->command;
    const auto url = Url::parse(std::get<HttpServer>(options.server).url);
    return url ? url->authority() : std::string("server");
}

}  // namespace gantry
