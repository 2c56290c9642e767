#include "io/http/forward_proxy.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "base/try.hpp"
#include "io/http/head.hpp"
#include "io/loop.hpp"
#include "io/root.hpp"
#include "io/scope.hpp"

namespace gantry::http {

struct ForwardProxy::State {
    std::unique_ptr<net::TcpListener> listener;
    ForwardProxyOptions options;
    CancelSource stop;

    static Root serve(Loop& loop, std::shared_ptr<State> self);
    static Task<void> attend(std::shared_ptr<State> self, Context ctx, std::unique_ptr<net::TcpStream> client);
    Task<void> forward(const Context& ctx, net::TcpStream& client);
    Task<Result<std::unique_ptr<net::TcpStream>>> reach(const Context& ctx, Stream& client, const Url& url);
};

namespace {

constexpr HeadLimits kLimits{.bytes = 32u << 10, .fields = 100};

struct Request {
    RequestHead head;
    std::string rest;  // bytes after the head
};

Task<void> answer(const Context& ctx, Stream& client, std::string_view status, std::string_view text) {
    std::string head = "HTTP/1.1 " + std::string(status) +
                       "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(text.size()) +
                       "\r\nConnection: close\r\n\r\n" + std::string(text);
    (void)co_await client.write(ctx, head);
    (void)co_await client.shutdown_write(ctx);
}

/// Empty: the client disconnected, or got an error response.
Task<std::optional<Request>> read_request(const Context& ctx, Stream& client) {
    std::string bytes;
    HeadScanner scanner;
    std::array<char, 8192> buffer;
    for (;;) {
        auto size = co_await client.read_some(ctx, buffer);
        if (!size || *size == 0) co_return std::nullopt;
        bytes.append(buffer.data(), *size);
        const auto end = scanner.scan(bytes, kLimits);
        Request request;
        if (end && *end == 0) continue;
        if (end && parse_request_head(std::string_view(bytes).substr(0, *end), request.head)) {
            request.rest = bytes.substr(*end);
            co_return request;
        }
        co_await answer(ctx, client, "400 Bad Request", "this is no request a proxy can pass on\n");
        co_return std::nullopt;
    }
}

/// The forwarded request head: everything except hop-by-hop fields. The end of the connection delimits the
/// response.
std::string onward_head(const RequestHead& head, const Url& url) {
    std::string out = head.method + " " + url.target() + " HTTP/1.1\r\nHost: " + url.authority() + "\r\n";
    for (std::size_t i = 0; i < head.headers.size(); ++i) {
        const auto [name, value] = head.headers[i];
        bool ours = false;
        for (const std::string_view own :
             {"host", "connection", "proxy-connection", "proxy-authorization", "keep-alive"})
            ours = ours || equal_ignoring_case(name, own);
        if (!ours) out.append(name).append(": ").append(value).append("\r\n");
    }
    return out + "Connection: close\r\n\r\n";
}

Task<void> pump(Context ctx, Duration idle, Stream& from, Stream& to, Scope& both) {
    std::array<char, 16384> buffer;
    for (;;) {
        auto size = co_await from.read_some(ctx.within(idle), buffer);
        if (!size) break;
        if (*size == 0) {
            (void)co_await to.shutdown_write(ctx);
            co_return;
        }
        if (!co_await to.write(ctx.within(idle), {buffer.data(), *size})) break;
    }
    both.cancel();
}

Task<void> join_streams(const Context& ctx, Duration idle, Stream& client, Stream& server) {
    Scope both(ctx);
    both.spawn(pump(both.context(), idle, client, server, both));
    both.spawn(pump(both.context(), idle, server, client, both));
    co_await both.join();
}

}  // namespace

/// Connects to the URL's target; on failure the client has got an error response.
Task<Result<std::unique_ptr<net::TcpStream>>> ForwardProxy::State::reach(const Context& ctx, Stream& client,
                                                                         const Url& url) {
    const Context limited = ctx.within(options.connect_timeout);
    auto endpoints = co_await options.approve(limited, url);
    if (!endpoints && endpoints.error().code() == ErrorCode::kDenied) {
        if (options.on_refused && !stop.cancelled()) options.on_refused(url.host(), url.port());
        co_await answer(ctx, client, "403 Forbidden",
                        "this server's isolation does not let it reach " + url.host() + "\n");
        co_return fail(std::move(endpoints).error());
    }
    Result<std::unique_ptr<net::TcpStream>> reached = fail(ErrorCode::kConnection, "not found");
    if (endpoints) reached = co_await net::connect_any(limited, *std::move(endpoints));
    if (!reached) co_await answer(ctx, client, "502 Bad Gateway", "cannot reach " + url.host() + "\n");
    co_return reached;
}

Task<void> ForwardProxy::State::forward(const Context& ctx, net::TcpStream& client) {
    auto request = co_await read_request(ctx.within(options.head_timeout), client);
    if (!request) co_return;
    const bool tunnel = request->head.method == "CONNECT";
    const auto url = Url::parse(tunnel ? "https://" + request->head.target : request->head.target);
    // A tunnel's target must be an authority only; TLS requires a tunnel.
    if (!url || (tunnel ? url->text().find('/', 8) != std::string::npos : url->is_https())) {
        co_await answer(ctx, client, "400 Bad Request", "expected CONNECT host:port, or a whole http:// URL\n");
        co_return;
    }
    auto server = co_await reach(ctx, client, *url);
    if (!server) co_return;
    Result<void> sent;
    if (tunnel)
        sent = co_await client.write(ctx, "HTTP/1.1 200 Connection established\r\n\r\n");
    else
        sent = co_await (*server)->write(ctx, onward_head(request->head, *url));
    if (sent && !request->rest.empty()) sent = co_await (*server)->write(ctx, request->rest);
    if (sent) co_await join_streams(ctx, options.idle_timeout, client, **server);
}

Task<void> ForwardProxy::State::attend(std::shared_ptr<State> self, Context ctx,
                                       std::unique_ptr<net::TcpStream> client) {
    co_await self->forward(ctx, *client);
}

Root ForwardProxy::State::serve(Loop&, std::shared_ptr<State> self) {
    Scope clients(Context::background().stopped_by(self->stop));
    for (;;) {
        auto client = co_await self->listener->accept(clients.context());
        if (!client) break;
        if (clients.running() < self->options.max_connections)
            clients.spawn(attend(self, clients.context(), *std::move(client)));
    }
    self->listener->close();
    clients.cancel();
    co_await clients.join();
}

ForwardProxy::ForwardProxy(Loop& loop, std::unique_ptr<net::TcpListener> listener, ForwardProxyOptions options)
    : state_(
          std::make_shared<State>(State{.listener = std::move(listener), .options = std::move(options), .stop = {}})) {
    State::serve(loop, state_);
}

ForwardProxy::~ForwardProxy() {
    state_->stop.cancel();
}

}  // namespace gantry::http
