#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/url.hpp"
#include "io/context.hpp"
#include "io/http/headers.hpp"
#include "io/task.hpp"

namespace gantry {
class Loop;
namespace net {
class EgressGuard;
class TcpStream;
class TlsClientContext;
}  // namespace net
}  // namespace gantry

namespace gantry::http {

class Pool;

/// Opens a connection. Must be callable, and what it refers to valid, until the client and its responses are gone.
using Dial = std::function<Task<Result<std::unique_ptr<net::TcpStream>>>(const Context& ctx)>;

struct ClientOptions {
    Duration connect_timeout = seconds(10);
    /// From the last byte of the request to the last byte of the response head.
    Duration head_timeout = seconds(60);
    /// Idle timeout within a response body. Zero: only the context's deadline applies (SSE).
    Duration idle_timeout = seconds(0);
    std::size_t max_head_bytes = 64u << 10;  // 64 KB is also the maximum
    std::size_t max_head_fields = 64;
    /// Idle connections kept per origin, and for how long.
    std::size_t max_idle_per_origin = 32;
    std::size_t max_connections_per_origin = 256;
    Duration keep_idle = seconds(30);
    /// Redirects followed for GET and HEAD on request; each target passes the egress guard again.
    int max_redirects = 5;
    std::string user_agent = "gantry/0.1";
    /// If not empty, every request goes to this Unix socket, whatever host its URL names.
    std::string unix_path = {};
    /// If set, opens every connection, whatever host the URL names; nothing is resolved or guarded then. Only for http
    /// URLs: there is no TLS over such a connection.
    Dial dial = {};
};

struct Request {
    std::string method = "GET";
    Url url;
    /// Host, Content-Length, Connection and User-Agent are added by the client.
    Headers headers;
    std::string body;
    /// Only GET and HEAD follow redirects, and credentials never cross origins. A request that
    /// must not follow receives the 3xx response itself.
    bool follow_redirects = false;
    /// Applies in addition to the client's own guard, for every hop: for URLs chosen by others. A pooled connection
    /// serves the request only if its address passes too.
    std::shared_ptr<const net::EgressGuard> egress = {};
};

/// A response whose body is still arriving. Destroying it before the end closes the
/// connection; reading it to the end returns the connection to the pool.
class Response {
public:
    Response(Response&&) noexcept;
    Response& operator=(Response&&) noexcept;
    ~Response();

    int status() const noexcept;
    const Headers& headers() const noexcept;
    /// The URL it came from, after redirects.
    const Url& url() const noexcept;
    /// The peer's numeric address.
    const std::string& peer_address() const noexcept;

    /// The next piece of the decoded body, valid until the next call. Empty optional: end of body.
    Task<Result<std::optional<std::string_view>>> read(const Context& ctx);
    /// Like read(), but only what has already arrived; empty if nothing has.
    Result<std::optional<std::string_view>> take();
    /// Received bytes not yet taken.
    std::size_t buffered() const noexcept;
    /// The rest of the body; kLimit if it is longer.
    Task<Result<std::string>> read_all(const Context& ctx, std::size_t limit);
    /// Closes the connection immediately, e.g. to cancel a request. A pending read() fails with kCancelled.
    void abort() noexcept;
    /// Length of the body, if the response declared it.
    std::optional<std::uint64_t> body_length() const noexcept;
    /// True once read() has returned everything; the next read() reports the end.
    bool body_complete() const noexcept;

    class Impl;  // internal to io/http
    /// Recycles the Impl, with its buffers, for the next response.
    struct Recycle {
        void operator()(Impl* impl) const noexcept;
    };
    using Handle = std::unique_ptr<Impl, Recycle>;
    explicit Response(Handle impl);

private:
    Handle impl_;
};

/// Pooled HTTP/1.1 client of one loop. Every URL, including redirect targets, passes the egress
/// guard, and the connection goes to exactly the address the guard approved.
class Client {
public:
    /// `guard` must outlive the client. TLS verifies against the system's roots unless `tls` specifies otherwise.
    Client(Loop& loop, const net::EgressGuard& guard, ClientOptions options = {},
           std::shared_ptr<const net::TlsClientContext> tls = nullptr);
    ~Client();

    /// Sends the request and waits for the response head. Error codes: kConnection if nothing was sent (safe to
    /// retry), kOutcomeUnknown if the connection broke after the request was sent, kTimeout, kCancelled,
    /// kDenied from the guard, kProtocol for a malformed response, kLimit.
    Task<Result<Response>> send(const Context& ctx, Request request);

    /// Closes idle connections; those in use are closed when their response ends.
    void close() noexcept;

    const std::shared_ptr<Pool>& pool() const noexcept { return pool_; }  // internal to io/http

private:
    std::shared_ptr<Pool> pool_;
};

}  // namespace gantry::http
