#include "io/http/server.hpp"

#include <array>
#include <unordered_set>
#include <utility>

#include "base/try.hpp"
#include "io/fd.hpp"
#include "io/http/server_connection.hpp"
#include "io/loop.hpp"
#include "io/net/tcp.hpp"
#include "io/net/tls.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::http {
namespace {

/// Concurrent rejections with a response; beyond that, connections are closed without one.
constexpr std::size_t kMaxRefusing = 64;
constexpr Duration kRefusalTime = seconds(2);
constexpr std::string_view kNotServed =
    "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 36\r\n\r\n"
    "isolated servers are not served here";
constexpr std::string_view kNoPlace =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    "Content-Length: 21\r\n\r\ntoo many connections\n";

}  // namespace

Task<Result<void>> Exchange::start_with(const Context& ctx, int status, const Headers& headers,
                                        std::optional<std::uint64_t> length, std::string_view first) {
    GANTRY_CO_CHECK(co_await start(ctx, status, headers, length));
    co_return co_await write(ctx, first);
}

Task<Result<void>> Exchange::respond_pieces(const Context& ctx, int status, const Headers& headers,
                                            std::span<const std::string_view> body) {
    std::string joined;
    for (const std::string_view piece : body) joined += piece;
    co_return co_await respond(ctx, status, headers, joined);
}

class Server::Impl final : public ServerConnection::Owner {
public:
    Impl(Loop& loop, ServerOptions options, Handler handler, std::shared_ptr<const net::TlsServerContext> tls)
        : loop_(loop),
          options_(std::move(options)),
          handler_(std::move(handler)),
          tls_(std::move(tls)),
          bodies_(options_.max_unfinished_bytes),
          scope_(Context::background()) {}

    Result<void> start() {
        if (listener_) return fail(ErrorCode::kInvalidArgument, "the server is already started");
        if (options_.inherited >= 0) {
            GANTRY_TRY(listener_, net::TcpListener::adopt(loop_, Fd(std::exchange(options_.inherited, -1))));
        } else {
            GANTRY_TRY(listener_, net::TcpListener::listen(loop_, {.host = options_.host,
                                                                   .port = options_.port,
                                                                   .reuse_port = options_.reuse_port,
                                                                   .unix_path = options_.unix_path}));
        }
        port_ = listener_->port();
        if (loop_.on_this_thread()) {
            scope_.spawn(accept_all());
        } else {
            loop_.post([this] { scope_.spawn(accept_all()); });
        }
        return {};
    }

    std::uint16_t port() const noexcept { return port_; }

    Task<void> stop(Context grace) {
        if (!listener_) co_return;
        stopping_ = true;
        co_await yield_now();  // functions posted by start() must have run
        listener_->close();
        changed_.pulse();
        while (first_idle_) {
            ServerConnection& idle = *first_idle_;
            became_busy(idle);
            idle.close();
        }
        while (open_ > 0 && co_await changed_.wait(grace)) {}
        scope_.cancel();
        for (ServerConnection* connection : connections_) connection->close();
        co_await scope_.join();
        listener_.reset();
    }

    void became_idle(ServerConnection& connection) override {
        connection.listed_idle = true;
        connection.next_idle = nullptr;
        connection.previous_idle = last_idle_;
        (last_idle_ ? last_idle_->next_idle : first_idle_) = &connection;
        last_idle_ = &connection;
        if (stopping_) {
            connection.close();
        } else if (full_) {
            changed_.pulse();
        }
    }

    void became_busy(ServerConnection& connection) override {
        if (!connection.listed_idle) return;
        connection.listed_idle = false;
        (connection.previous_idle ? connection.previous_idle->next_idle : first_idle_) = connection.next_idle;
        (connection.next_idle ? connection.next_idle->previous_idle : last_idle_) = connection.previous_idle;
    }

    void set_max_connections(std::size_t most) noexcept { options_.max_connections = most; }
    BodyBudget& bodies() noexcept override { return bodies_; }
    BodyPace& body_pace() noexcept override { return body_pace_; }
    bool stopping() const noexcept override { return stopping_; }

private:
    Task<void> accept_all() {
        const Context ctx = scope_.context();
        while (!stopping_) {
            auto accepted = co_await listener_->accept(ctx);
            if (!accepted) break;
            if (options_.refuse && !options_.refuse(**accepted).empty()) {
                if (refusing_ < kMaxRefusing) {
                    ++refusing_;
                    scope_.spawn(refuse(*std::move(accepted), kNotServed));
                }
                continue;
            }
            const bool room = co_await make_room(ctx);
            if (stopping_ || ctx.cancel().cancelled()) break;
            if (room) {
                ++open_;
                scope_.spawn(serve(*std::move(accepted)));
            } else if (refusing_ < kMaxRefusing) {
                ++refusing_;
                scope_.spawn(refuse(*std::move(accepted), kNoPlace));
            }
        }
    }

    /// Accepts one connection more than allowed, so that the longest idle one is closed only when its place is really
    /// needed. False: all connections are busy.
    Task<bool> make_room(const Context& ctx) {
        while (open_ >= options_.max_connections && !stopping_) {
            ServerConnection* const oldest = first_idle_;
            if (oldest == nullptr) co_return false;
            became_busy(*oldest);
            oldest->close();
            full_ = true;
            const bool waited = (co_await changed_.wait(ctx)).has_value();
            full_ = false;
            if (!waited) break;
        }
        co_return true;
    }

    /// Rejects a connection with a response. A TLS client could not read it and is only closed.
    Task<void> refuse(std::unique_ptr<net::TcpStream> stream, std::string_view why) {
        const Context ctx = scope_.context().within(kRefusalTime);
        if (!tls_ && stream->try_write(why) && co_await stream->shutdown_write(ctx)) {
            // Closing with unread data would reset the connection and lose our response.
            std::array<char, 4096> unread;
            for (auto got = co_await stream->read_some(ctx, unread); got && *got > 0;
                 got = co_await stream->read_some(ctx, unread)) {}
        }
        stream->close();
        --refusing_;
    }

    Task<void> serve(std::unique_ptr<net::TcpStream> tcp) {
        const Context ctx = scope_.context();
        const net::TcpStream& raw = *tcp;
        std::unique_ptr<Stream> stream;
        if (tls_) {
            auto shaken = co_await net::tls_accept(ctx.within(options_.head_timeout), std::move(tcp), tls_);
            if (shaken) stream = *std::move(shaken);
        } else {
            stream = std::move(tcp);
        }
        if (stream) {
            ServerConnection connection(*this, options_, handler_, std::move(stream), raw);
            connections_.insert(&connection);
            co_await connection.run(ctx);
            connections_.erase(&connection);
            became_busy(connection);
        }
        --open_;
        if (full_ || stopping_) changed_.pulse();
        if (bodies_.drained() && options_.on_memory_freed) options_.on_memory_freed();
    }

    Loop& loop_;
    ServerOptions options_;
    const Handler handler_;
    const std::shared_ptr<const net::TlsServerContext> tls_;
    BodyBudget bodies_;
    BodyPace body_pace_;
    Scope scope_;
    std::unique_ptr<net::TcpListener> listener_;
    std::uint16_t port_ = 0;
    std::size_t open_ = 0;
    std::size_t refusing_ = 0;
    bool stopping_ = false;
    bool full_ = false;
    Event changed_;
    std::unordered_set<ServerConnection*> connections_;
    ServerConnection* first_idle_ = nullptr;  // idle for longest
    ServerConnection* last_idle_ = nullptr;
};

Server::Server(Loop& loop, ServerOptions options, Handler handler, std::shared_ptr<const net::TlsServerContext> tls)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(handler), std::move(tls))) {}

Server::~Server() = default;

Result<void> Server::start() {
    return impl_->start();
}

std::uint16_t Server::port() const noexcept {
    return impl_->port();
}

void Server::set_max_connections(std::size_t most) noexcept {
    impl_->set_max_connections(most);
}

void Server::set_max_unfinished_bytes(std::size_t most) noexcept {
    impl_->bodies().set_most(most);
}

Task<void> Server::stop(Context grace) {
    return impl_->stop(std::move(grace));
}

}  // namespace gantry::http
