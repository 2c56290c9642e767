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
    std::uint16_t port = 0;   // 0: any free one, see Server::port()
    bool reuse_port = false;  // several loops, one port
    /// Not empty: a Unix socket of this name instead, for this user alone. It must not exist; stop() removes it.
    std::string unix_path = {};
    /// Not -1: this socket, bound and listening already, instead; start() takes it over.
    int inherited = -1;
    Duration head_timeout = seconds(15);
    Duration idle_timeout = seconds(75);
    /// Longest silence inside a request body; also what a body may take before it has to average 256 bytes/s.
    Duration body_timeout = seconds(60);
    Duration write_timeout = seconds(60);    // longest time without progress of a write
    std::size_t max_head_bytes = 64u << 10;  // 64 KB is also the most
    std::size_t max_head_fields = 64;
    std::size_t max_body_bytes = 64u << 20;
    /// At this many, a newcomer takes the place of the longest idle one; when none is idle it gets 503.
    std::size_t max_connections = 10'000;
    /// For all request bodies that read_all() has not received completely; see BodyBudget. Who gets none: 503.
    std::size_t max_unfinished_bytes = 64u << 20;
    /// Called when most of the memory of many unfinished bodies has become free.
    std::function<void()> on_memory_freed = {};
    /// Asked about each TCP connection before anything of it is read: why it is not served; empty: it is. Unset: all
    /// are.
    std::function<std::string(const net::TcpStream&)> refuse = {};
};

/// One request and the line to answer it. Valid until the handler's task ends.
class Exchange {
public:
    virtual ~Exchange() = default;

    virtual std::string_view method() const noexcept = 0;
    virtual std::string_view target() const noexcept = 0;
    virtual const Headers& headers() const noexcept = 0;
    virtual std::string_view peer_address() const noexcept = 0;
    /// The request came as HTTP/1.0, as only very old clients and proxies with default settings send it.
    virtual bool is_http_1_0() const noexcept { return false; }

    /// The next piece of the request body, valid until the next call; empty optional: the end.
    virtual Task<Result<std::optional<std::string_view>>> read(const Context& ctx) = 0;
    /// What has already arrived of it, without waiting; empty when nothing has. A view like read()'s.
    virtual Result<std::optional<std::string_view>> take() { return std::nullopt; }
    /// Reads the whole body. kLimit: longer than `limit`. kCancelled: the memory budget is spent; the client gets 503
    /// if the handler ends without an answer.
    virtual Task<Result<std::string>> read_all(const Context& ctx, std::size_t limit) = 0;

    /// Head and whole body in one go.
    virtual Task<Result<void>> respond(const Context& ctx, int status, const Headers& headers,
                                       std::string_view body) = 0;
    /// The same for small bodies, as far as it can be done without waiting; `body` may go afterwards. False: flush()
    /// has to be awaited.
    virtual bool try_respond(int status, const Headers& headers, std::string_view body) = 0;
    virtual Task<Result<void>> flush(const Context& ctx) = 0;
    /// The same with a body in pieces, which are sent as they lie. They must stay valid until the task is done.
    virtual Task<Result<void>> respond_pieces(const Context& ctx, int status, const Headers& headers,
                                              std::span<const std::string_view> body);
    /// Head first; then any number of write(), then finish(). With `length` the body is sent with
    /// Content-Length, without it chunked (or until close for HTTP/1.0).
    virtual Task<Result<void>> start(const Context& ctx, int status, const Headers& headers,
                                     std::optional<std::uint64_t> length = std::nullopt) = 0;
    virtual Task<Result<void>> write(const Context& ctx, std::string_view bytes) = 0;
    virtual Task<Result<void>> finish(const Context& ctx) = 0;
    /// finish(), and no further request on this connection: for a handler that has work left after its answer, which
    /// would keep the client's next request waiting. The client sees the end of the connection at once.
    virtual Task<Result<void>> finish_and_part(const Context& ctx) { return finish(ctx); }

    /// start() and the first write() in one go, for bodies whose beginning is already there.
    virtual Task<Result<void>> start_with(const Context& ctx, int status, const Headers& headers,
                                          std::optional<std::uint64_t> length, std::string_view first);

    /// How long the request body is, when the request said so.
    virtual std::optional<std::uint64_t> body_length() const noexcept { return std::nullopt; }
    /// True once read() has handed out everything; the next read() is the end.
    virtual bool body_complete() const noexcept { return false; }

    /// Completes with the context's error, or with kConnection when the client went away.
    /// Not while a read() is pending. A client that only finished sending counts as gone.
    virtual Task<Result<void>> wait_for_disconnect(const Context& ctx) = 0;
    /// The same as a glance, at the price of a system call.
    virtual bool disconnected() const noexcept { return false; }
};

/// Answers one request. The context is cancelled when the server stops hard. A handler that ends
/// without answering produces a 500.
using Handler = std::function<Task<void>(const Context& ctx, Exchange& exchange)>;

/// HTTP/1.1 on one loop. Refuses the request forms that smuggling relies on (both lengths, repeated
/// or odd Content-Length, obs-fold, bare LF, bad names) with 400 and a closed connection.
class Server {
public:
    Server(Loop& loop, ServerOptions options, Handler handler,
           std::shared_ptr<const net::TlsServerContext> tls = nullptr);
    ~Server();

    /// Binds and listens; port() is known afterwards. A started server has to be stopped before it is destroyed.
    Result<void> start();
    std::uint16_t port() const noexcept;
    /// See ServerOptions. Fewer than there are: each newcomer closes idle ones until it fits, or is turned away.
    void set_max_connections(std::size_t most) noexcept;
    void set_max_unfinished_bytes(std::size_t most) noexcept;
    /// Stops accepting, lets running exchanges finish until the context ends, then cuts them off.
    Task<void> stop(Context patience);
    Task<void> stop(Duration grace) { return stop(Context::background().within(grace)); }

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::http
