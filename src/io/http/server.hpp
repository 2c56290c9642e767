#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "io/context.hpp"
#include "io/http/headers.hpp"
#include "io/task.hpp"

namespace gantry {
class Loop;
namespace net {
class TcpStream;
class TlsServerContext;
}  // namespace net
}  // namespace gantry

namespace gantry::http {

struct ServerOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;   // 0: any free port, see Server::port()
    bool reuse_port = false;  // so that several loops can share one port
    /// If not empty, a Unix socket at this path, accessible to this user only. It must not exist; stop() removes it.
    std::string unix_path = {};
    /// If not -1, use this socket, which is bound and listening already; start() takes ownership.
    int inherited = -1;
    Duration head_timeout = seconds(15);
    Duration idle_timeout = seconds(75);
    /// Idle timeout within a request body; after this time a body also has to average 256 bytes/s.
    Duration body_timeout = seconds(60);
    Duration write_timeout = seconds(60);    // longest time a write may make no progress
    std::size_t max_head_bytes = 64u << 10;  // 64 KB is also the maximum
    std::size_t max_head_fields = 64;
    std::size_t max_body_bytes = 64u << 20;
    /// At this limit a new connection evicts the one idle for longest; if none is idle it gets 503.
    std::size_t max_connections = 10'000;
    /// For all request bodies read_all() is still receiving; see BodyBudget. Requests beyond it get 503.
    std::size_t max_unfinished_bytes = 64u << 20;
    /// Called when most of the memory of many incomplete bodies has been freed.
    std::function<void()> on_memory_freed = {};
    /// Called for each TCP connection before anything is read from it: returns why it is rejected, or empty to accept
    /// it. Unset: all are accepted.
    std::function<std::string(const net::TcpStream&)> refuse = {};
};

/// One request and the means to answer it. Valid until the handler's task ends.
class Exchange {
public:
    virtual ~Exchange() = default;

    virtual std::string_view method() const noexcept = 0;
    virtual std::string_view target() const noexcept = 0;
    virtual const Headers& headers() const noexcept = 0;
    virtual std::string_view peer_address() const noexcept = 0;
    /// The request is HTTP/1.0, as sent only by very old clients and by proxies with default settings.
    virtual bool is_http_1_0() const noexcept { return false; }

    /// The next piece of the request body, valid until the next call; empty optional: end of body.
    virtual Task<Result<std::optional<std::string_view>>> read(const Context& ctx) = 0;
    /// Like read(), but only what has already arrived; empty if nothing has.
    virtual Result<std::optional<std::string_view>> take() { return std::nullopt; }
    /// Reads the whole body. kLimit: longer than `limit`. kCancelled: the memory budget is exhausted; the client gets
    /// 503 if the handler ends without an answer.
    virtual Task<Result<std::string>> read_all(const Context& ctx, std::size_t limit) = 0;

    /// Sends head and body together.
    virtual Task<Result<void>> respond(const Context& ctx, int status, const Headers& headers,
                                       std::string_view body) = 0;
    /// Like respond() for small bodies, without waiting; `body` need not outlive the call. False: await flush().
    virtual bool try_respond(int status, const Headers& headers, std::string_view body) = 0;
    virtual Task<Result<void>> flush(const Context& ctx) = 0;
    /// Like respond() with a body in pieces, sent without copying. They must stay valid until the task is done.
    virtual Task<Result<void>> respond_pieces(const Context& ctx, int status, const Headers& headers,
                                              std::span<const std::string_view> body);
    /// Sends the head; then any number of write(), then finish(). With `length` the body is sent with
    /// Content-Length, otherwise chunked (or until close for HTTP/1.0).
    virtual Task<Result<void>> start(const Context& ctx, int status, const Headers& headers,
                                     std::optional<std::uint64_t> length = std::nullopt) = 0;
    virtual Task<Result<void>> write(const Context& ctx, std::string_view bytes) = 0;
    virtual Task<Result<void>> finish(const Context& ctx) = 0;
    /// finish(), and closes the connection to further requests: for a handler with work left after its answer, which
    /// would delay the client's next request. The client sees the end of the connection at once.
    virtual Task<Result<void>> finish_and_part(const Context& ctx) { return finish(ctx); }

    /// start() and the first write() combined, for bodies whose beginning is available.
    virtual Task<Result<void>> start_with(const Context& ctx, int status, const Headers& headers,
                                          std::optional<std::uint64_t> length, std::string_view first);

    /// Length of the request body, if the request declared it.
    virtual std::optional<std::uint64_t> body_length() const noexcept { return std::nullopt; }
    /// True once read() has returned everything; the next read() reports the end.
    virtual bool body_complete() const noexcept { return false; }

    /// Completes with the context's error, or with kConnection when the client disconnects.
    /// Not while a read() is pending. A client that only half-closed counts as disconnected.
    virtual Task<Result<void>> wait_for_disconnect(const Context& ctx) = 0;
    /// A non-waiting check for the same, at the cost of a system call.
    virtual bool disconnected() const noexcept { return false; }
};

/// Answers one request. The context is cancelled on a forced stop of the server. A handler that ends
/// without answering produces a 500.
using Handler = std::function<Task<void>(const Context& ctx, Exchange& exchange)>;

/// HTTP/1.1 on one loop. Rejects the request forms that smuggling relies on (both lengths, repeated
/// or odd Content-Length, obs-fold, bare LF, bad names) with 400 and closes the connection.
class Server {
public:
    Server(Loop& loop, ServerOptions options, Handler handler,
           std::shared_ptr<const net::TlsServerContext> tls = nullptr);
    ~Server();

    /// Binds and listens; port() is known afterwards. A started server must be stopped before it is destroyed.
    Result<void> start();
    std::uint16_t port() const noexcept;
    /// See ServerOptions. If lowered below the current number, each new connection closes idle ones until it fits, or
    /// is rejected.
    void set_max_connections(std::size_t most) noexcept;
    void set_max_unfinished_bytes(std::size_t most) noexcept;
    /// Stops accepting, lets exchanges in flight finish until the context ends, then aborts them.
    Task<void> stop(Context grace);
    Task<void> stop(Duration grace) { return stop(Context::background().within(grace)); }

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::http
