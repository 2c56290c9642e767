#pragma once

#include <cstddef>
#include <cstdint>
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
class TlsClientContext;
}  // namespace net
}  // namespace gantry

namespace gantry::http {

class Pool;

struct ClientOptions {
    Duration connect_timeout = seconds(10);
    /// From the request's last byte to the response head's last byte.
    Duration head_timeout = seconds(60);
    /// Longest silence inside a response body. Zero: only the context's deadline counts (SSE).
    Duration idle_timeout = seconds(0);
    std::size_t max_head_bytes = 64u << 10;  // 64 KB is also the most
    std::size_t max_head_fields = 64;
    /// Idle connections kept per origin, and for how long.
    std::size_t max_idle_per_origin = 32;
    std::size_t max_connections_per_origin = 256;
    Duration keep_idle = seconds(30);
    /// Redirects followed for GET and HEAD when asked; each target passes the egress guard again.
    int max_redirects = 5;
    std::string user_agent = "gantry/0.1";
    /// Not empty: every request goes to this Unix socket, whatever host its URL names.
    std::string unix_path = {};
};

struct Request {
    std::string method = "GET";
    Url url;
    /// Host, Content-Length, Connection and User-Agent are added by the client.
    Headers headers;
    std::string body;
    /// Only GET and HEAD follow redirects, and credentials never cross origins. A request that
    /// must not follow gets the 3xx response itself.
    bool follow_redirects = false;
    /// Holds besides the client's own guard, for every hop: for URLs somebody else chose. Also a kept connection
    /// serves the request only if the address it goes to passes.
    std::shared_ptr<const net::EgressGuard> egress = {};
};

/// A response whose body is still arriving. Dropping it before the end closes the
/// connection; reading it to the end returns the connection to the pool.
class Response {
public:
    Response(Response&&) noexcept;
    Response& operator=(Response&&) noexcept;
    ~Response();

    int status() const noexcept;
    const Headers& headers() const noexcept;
    /// Where it came from, after redirects.
    const Url& url() const noexcept;
    /// The numeric address it came from.
    const std::string& peer_address() const noexcept;

    /// The next piece of the decoded body, valid until the next call. Empty optional: the end.
    Task<Result<std::optional<std::string_view>>> read(const Context& ctx);
    /// What has already arrived of it, without waiting; empty when nothing has. A view like read()'s.
    Result<std::optional<std::string_view>> take();
    /// Raw bytes waiting to be taken.
    std::size_t buffered() const noexcept;
    /// The rest of the body; kLimit when it is longer.
    Task<Result<std::string>> read_all(const Context& ctx, std::size_t limit);
    /// Closes the connection now, e.g. to cancel a request. A pending read() ends with kCancelled.
    void abort() noexcept;
    /// How long the body is, when the response said so.
    std::optional<std::uint64_t> body_length() const noexcept;
    /// True once read() has handed out everything; the next read() is the end.
    bool body_complete() const noexcept;

    class Impl;  // internal to io/http
    /// Keeps what a response was made of for the next one.
    struct Recycle {
        void operator()(Impl* impl) const noexcept;
    };
    using Handle = std::unique_ptr<Impl, Recycle>;
    explicit Response(Handle impl);

private:
    Handle impl_;
};

/// Pooled HTTP/1.1 client of one loop. Every URL, also of a redirect, passes the egress
/// guard, and the connection goes to the very address the guard approved.
class Client {
public:
    /// `guard` must outlive the client. TLS verifies against the system's roots unless `tls` says otherwise.
    Client(Loop& loop, const net::EgressGuard& guard, ClientOptions options = {},
           std::shared_ptr<const net::TlsClientContext> tls = nullptr);
    ~Client();

    /// Sends and waits for the response head. Error codes: kConnection when nothing was sent (safe to
    /// repeat), kOutcomeUnknown when the connection broke after the request left, kTimeout, kCancelled,
    /// kDenied from the guard, kProtocol for a malformed answer, kLimit.
    Task<Result<Response>> send(const Context& ctx, Request request);

    /// Closes idle connections; those in use close when their response ends.
    void close() noexcept;

    const std::shared_ptr<Pool>& pool() const noexcept { return pool_; }  // internal to io/http

private:
    std::shared_ptr<Pool> pool_;
};

}  // namespace gantry::http
