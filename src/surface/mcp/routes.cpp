#include "surface/mcp/routes.hpp"

#include "gateway/ports/source.hpp"
#include "gateway/registry/summary.hpp"

namespace gantry::surface {
namespace {

std::string_view path_of(std::string_view target) noexcept {
    return target.substr(0, target.find_first_of("?#"));
}

Task<void> reply_json(const Context& ctx, http::Exchange& exchange, int status, std::string_view body) {
    const http::Headers headers{{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    auto sent = co_await exchange.respond(ctx, status, headers, body);
    static_cast<void>(sent);  // the client may have disconnected
}

Task<void> only_get(const Context& ctx, http::Exchange& exchange) {
    const http::Headers headers{{"Content-Type", "application/json"}, {"Allow", "GET, HEAD"}};
    auto sent = co_await exchange.respond(ctx, 405, headers, R"({"error":"only GET is possible here"})");
    static_cast<void>(sent);
}

bool is_get(const http::Exchange& exchange) noexcept {
    return exchange.method() == "GET" || exchange.method() == "HEAD";
}

}  // namespace

Routes::Routes(Gateway& gateway, mcp::HttpEndpoint& endpoint, RouteOptions options)
    : gateway_(gateway), endpoint_(endpoint), options_(std::move(options)) {
    backends_.emplace("", std::make_unique<GatewayBackend>(gateway_, ""));
}

GatewayBackend* Routes::backend_for(std::string_view scope) {
    if (const auto found = backends_.find(scope); found != backends_.end()) return found->second.get();
    // Scopes come from the configuration, so their number is bounded; a request cannot create one.
    if (!gateway_.registry.catalog()->has_scope(scope)) return nullptr;
    return backends_.emplace(scope, std::make_unique<GatewayBackend>(gateway_, std::string(scope))).first->second.get();
}

Task<void> Routes::handle(const Context& ctx, http::Exchange& exchange) {
    const std::string_view path = path_of(exchange.target());
    if (path == options_.path) return endpoint_.handle(ctx, exchange, *backends_.begin()->second, path);
    if (path == "/health" || path == "/ready") return health(ctx, exchange);
    if (path == options_.sse_path)
        return endpoint_.handle_sse(ctx, exchange, *backends_.begin()->second, path, options_.sse_message_path);
    if (path == options_.sse_message_path) return endpoint_.handle_sse_message(ctx, exchange);
    if (const auto other = others_.find(path); other != others_.end()) return serve_other(ctx, exchange, other->second);
    if (!path.starts_with(options_.path) || !path.substr(options_.path.size()).starts_with("/"))
        return not_found(ctx, exchange);
    const std::string_view rest = path.substr(options_.path.size() + 1);
    if (const auto under = below_.find(rest.substr(0, rest.rfind('/') + 1)); under != below_.end())
        return under->second(ctx, exchange);
    if (rest == "tools" || rest == "summary") return tools(ctx, exchange);
    GatewayBackend* backend = backend_for(rest);
    if (backend == nullptr) return not_found(ctx, exchange);
    return endpoint_.handle(ctx, exchange, *backend, path);
}

Task<void> Routes::not_found(const Context& ctx, http::Exchange& exchange) {
    const Json body = JsonObject{{"error", "not found; MCP is served at " + options_.path}};
    co_await reply_json(ctx, exchange, 404, body.dump());
}

Task<void> Routes::serve_other(const Context& ctx, http::Exchange& exchange, const http::Handler& handler) {
    if (co_await endpoint_.refuse_host_or_origin(ctx, exchange)) co_return;
    if (is_get(exchange)) {
        co_await handler(ctx, exchange);
    } else {
        co_await only_get(ctx, exchange);
    }
}

Task<void> Routes::tools(const Context& ctx, http::Exchange& exchange) {
    if (co_await endpoint_.refuse_host_or_origin(ctx, exchange)) co_return;
    if (!is_get(exchange)) {
        co_await only_get(ctx, exchange);
        co_return;
    }
    const gateway::Credentials credentials{
        .authorization = exchange.headers().get(http::FieldName::kAuthorization).value_or(std::string_view()),
        .peer_address = exchange.peer_address()};
    if (auto principal = co_await gateway_.pipeline.identify(ctx, credentials); !principal) {
        co_await reply_json(ctx, exchange, 401, R"({"error":"not authorized"})");
        co_return;
    }
    if (path_of(exchange.target()).ends_with("/summary")) {
        const http::Headers headers{{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}};
        auto sent =
            co_await exchange.respond(ctx, 200, headers, gateway::capability_summary(gateway_.registry.sources()));
        static_cast<void>(sent);
        co_return;
    }
    const auto list = gateway_.registry.catalog()->plain_tools("");
    co_await reply_json(ctx, exchange, 200, *list);
}

/// Ready when a client that lists now would see the tools of every server that answers at all, and while every required
/// server is reachable.
Task<void> Routes::readiness(const Context& ctx, http::Exchange& exchange) {
    JsonArray missing;
    for (const auto& entry : gateway_.registry.sources()) {
        if (entry.required && entry.source->state() == gateway::SourceState::kDown)
            missing.emplace_back(entry.source->name());
    }
    const bool listed = gateway_.registry.is_ready();
    const bool ready = accepting_ && listed && missing.empty();
    JsonObject body{{"ready", ready}};
    if (!listed) {
        JsonArray starting;
        for (const std::string& name : gateway_.registry.starting()) starting.emplace_back(name);
        body.set("starting", std::move(starting));
    }
    if (!missing.empty()) body.set("missing", std::move(missing));
    co_await reply_json(ctx, exchange, ready ? 200 : 503, Json(std::move(body)).dump());
}

/// Discloses only names and states of the servers: monitors read it without credentials.
Task<void> Routes::health(const Context& ctx, http::Exchange& exchange) {
    if (co_await endpoint_.refuse_host_or_origin(ctx, exchange)) co_return;
    if (!is_get(exchange)) {
        co_await only_get(ctx, exchange);
        co_return;
    }
    if (path_of(exchange.target()) == "/ready") {
        co_return co_await readiness(ctx, exchange);
    }
    JsonObject servers;
    bool all = true;
    for (const auto& entry : gateway_.registry.sources()) {
        const auto state = entry.source->state();
        const bool up = state == gateway::SourceState::kReady || state == gateway::SourceState::kAsleep;
        const bool failing = up && options_.failing && options_.failing(entry.source->name());
        all = all && up && !failing;
        servers.set(entry.source->name(), failing ? "failing" : gateway::to_string(state));
    }
    const auto counts = endpoint_.counts();
    const auto uptime = std::chrono::duration_cast<seconds>(SteadyClock::now() - began_).count();
    const Json body = JsonObject{
        {"status", all ? "ok" : "degraded"}, {"version", gateway_.self.version},
        {"uptimeSeconds", uptime},           {"tools", gateway_.registry.catalog()->size(gateway::ItemKind::kTool, "")},
        {"sessions", counts.sessions},       {"streams", counts.streams},
        {"servers", std::move(servers)}};
    co_await reply_json(ctx, exchange, 200, body.dump());
}

}  // namespace gantry::surface
