#include "mcp/server/http_endpoint.hpp"

#include "base/crypto/digest.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/sse_session.hpp"

namespace gantry::mcp {
namespace {

constexpr Duration kSweepEvery = std::chrono::minutes(1);
constexpr Duration kHeedEvery = seconds(1);

std::uint32_t random_epoch() {
    const auto bytes = crypto::random_bytes(4);
    std::uint32_t epoch = 0;
    if (bytes) {
        for (const char byte : *bytes) epoch = epoch << 8U | static_cast<unsigned char>(byte);
    }
    return epoch;
}

/// Names the setting, because the reader is most often the operator who set up a proxy.
std::string refused_host(const RequestHead& head) {
    constexpr std::size_t kLongest = 100;
    if (!head.host || head.host.repeated) return "a request names one host";
    return "host '" + std::string(head.host.value.substr(0, kLongest)) + "' is not in allowed_hosts";
}

}  // namespace

HttpEndpoint::Impl::Impl(HttpEndpointOptions given, auth::Sealer& with)
    : options(std::move(given)),
      sealer(with),
      hosts(options.allowed_hosts, options.allowed_origins),
      limits{.max_bytes = options.max_body_bytes, .max_depth = options.max_depth},
      json_headers{{"Content-Type", "application/json"}},
      names{.epoch = random_epoch(), .limits = {.events = options.replay_events, .bytes = options.replay_bytes}},
      sessions({.sessions = options.max_sessions, .idle = options.session_idle}, options.revocations) {}

void HttpEndpoint::Impl::configure(const HttpEndpointOptions& next) {
    options.stateless = next.stateless;
    options.json_only = next.json_only;
    options.allowed_hosts = next.allowed_hosts;
    options.allowed_origins = next.allowed_origins;
    options.max_body_bytes = next.max_body_bytes;
    options.max_depth = next.max_depth;
    hosts = HostRules(options.allowed_hosts, options.allowed_origins);
    limits.max_bytes = options.max_body_bytes;
    limits.max_depth = options.max_depth;
    // The description depends on whether the client can be notified.
    described.reset();
}

/// Not a coroutine: almost every request passes here, and a frame would cost an allocation.
Task<void> HttpEndpoint::Impl::handle(const Context& ctx, HttpRequest request) {
    const std::string_view method = request.exchange.method();
    if (method == "POST") return post(ctx, request);
    return beside_post(ctx, request);
}

std::optional<Refusal> HttpEndpoint::Impl::check_host_and_origin(const RequestHead& head) const {
    if (!head.host || head.host.repeated || !hosts.admits_host(head.host.value)) {
        return Refusal{.status = 403, .message = refused_host(head)};
    }
    if (head.origin && (head.origin.repeated || !hosts.admits_origin(head.origin.value, head.host.value))) {
        return Refusal{.status = 403, .message = "pages of this origin may not call here"};
    }
    return std::nullopt;
}

void HttpEndpoint::Impl::note_refused_host(const RequestHead& head) const {
    if (options.on_refused_host && !hosts.admits_host(head.host.value)) options.on_refused_host(head.host.value);
}

Task<bool> HttpEndpoint::Impl::turn_away(const Context& ctx, HttpRequest& request) {
    auto refusal = check_host_and_origin(request.head);
    if (refusal) {
        note_refused_host(request.head);
        request.head.origin = {};  // a page of a foreign origin must not learn anything
    } else if (draining) {
        refusal = Refusal{.status = 503, .message = "this server is about to stop"};
    } else {
        co_return false;
    }
    co_await send_refusal(ctx, request, *std::move(refusal));
    co_return true;
}

Task<bool> HttpEndpoint::Impl::refuse_host_or_origin(const Context& ctx, http::Exchange& exchange) {
    const RequestHead head = RequestHead::of(exchange.headers());
    const auto refusal = check_host_and_origin(head);
    if (!refusal) co_return false;
    note_refused_host(head);
    const Json body = JsonObject{{"error", "refused"}, {"error_description", refusal->message}};
    (void)co_await exchange.respond(ctx, refusal->status, json_headers, body.dump());
    co_return true;
}

Task<void> HttpEndpoint::Impl::beside_post(const Context& ctx, HttpRequest request) {
    const InFlightGuard in_flight(*this);
    if (co_await turn_away(ctx, request)) co_return;
    const std::string_view method = request.exchange.method();
    const bool legacy = options.eras != Eras::kModern && !options.stateless;
    if (method == "OPTIONS") {
        const auto asked = request.exchange.headers().get("access-control-request-headers").value_or("");
        http::Headers headers = request.head.origin ? preflight(request.head.origin.value, asked) : http::Headers();
        headers.add("Allow", allowed_methods());
        (void)co_await request.exchange.respond(ctx, 204, headers, "");
    } else if (method == "GET" && legacy && !options.json_only) {
        co_await get(ctx, request);
    } else if (method == "DELETE" && legacy) {
        co_await remove(ctx, request);
    } else {
        co_await send_json(ctx, request, 405,
                           R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"method not allowed"}})",
                           {{"Allow", allowed_methods()}});
    }
}

std::string_view HttpEndpoint::Impl::allowed_methods() const noexcept {
    if (options.eras == Eras::kModern || options.stateless) return "POST, OPTIONS";
    return options.json_only ? "POST, DELETE, OPTIONS" : "POST, GET, DELETE, OPTIONS";
}

void HttpEndpoint::Impl::sweep_later() {
    if (sweeper.armed() || draining) return;
    sweeper.arm(
        Loop::current(), Deadline::after(kSweepEvery),
        [](void* self) {
            auto& impl = *static_cast<Impl*>(self);
            impl.sessions.sweep();
            if (impl.sessions.size() > 0) impl.sweep_later();
        },
        this);
}

void HttpEndpoint::Impl::poll_revocations() {
    if (options.revocations == nullptr || revocation_timer.armed() || draining) return;
    revocation_timer.arm(
        Loop::current(), Deadline::after(kHeedEvery),
        [](void* self) {
            auto& impl = *static_cast<Impl*>(self);
            impl.sessions.heed_others();
            if (impl.sessions.size() > 0) impl.poll_revocations();
        },
        this);
}

void HttpEndpoint::Impl::drain() {
    draining = true;
    sweeper.disarm();
    revocation_timer.disarm();
    for (const auto& [stream, farewell] : streams) {
        stream->push(farewell);
        stream->finish();
    }
}

Task<void> HttpEndpoint::Impl::close(Context grace) {
    drain();
    while (inside > 0 && co_await left.wait(grace)) {}
    calls.cancel_all();
    for (const auto& session : sessions.all()) session->end();
    for (const auto& [name, session] : sse_sessions) session->end();
    while (inside > 0) {
        if (!co_await left.wait(Context::background())) break;
    }
}

HttpEndpoint::HttpEndpoint(HttpEndpointOptions options, auth::Sealer& sealer)
    : impl_(std::make_unique<Impl>(std::move(options), sealer)) {}

HttpEndpoint::~HttpEndpoint() = default;

Task<void> HttpEndpoint::handle(const Context& ctx, http::Exchange& exchange, Backend& backend, std::string_view path) {
    return impl_->handle(ctx, {exchange, backend, path, RequestHead::of(exchange.headers())});
}

Task<void> HttpEndpoint::handle_sse(const Context& ctx, http::Exchange& exchange, Backend& backend,
                                    std::string_view path, std::string_view message_path) {
    return impl_->open_sse(ctx, {exchange, backend, path, RequestHead::of(exchange.headers())}, message_path);
}

Task<void> HttpEndpoint::handle_sse_message(const Context& ctx, http::Exchange& exchange) {
    return impl_->post_sse(ctx, exchange);
}

Task<bool> HttpEndpoint::refuse_host_or_origin(const Context& ctx, http::Exchange& exchange) {
    return impl_->refuse_host_or_origin(ctx, exchange);
}

void HttpEndpoint::configure(const HttpEndpointOptions& next) {
    impl_->configure(next);
}

void HttpEndpoint::drain() {
    impl_->drain();
}

Task<void> HttpEndpoint::close(Context grace) {
    return impl_->close(std::move(grace));
}

HttpEndpoint::Counts HttpEndpoint::counts() const noexcept {
    return {.sessions = impl_->sessions.size() + impl_->sse_sessions.size(),
            .streams = impl_->streams.size(),
            .calls = impl_->serving};
}

}  // namespace gantry::mcp
