#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/fields.hpp"

/// Serve MCP from an HTTP server that the program already has. That server accepts connections, does TLS, routing and
/// authentication, and passes the requests of one route on:
///
///     auto mount = *server.mount();                              // server: a gantry::Server
///     foreign.on("/tools", [&](const Request& in, Response& out) {
///         auto response = mount.handle({.method = in.method, .headers = in.headers, .body = in.body});
///         if (!response) return out.abort();
///         out.head(response->status(), response->headers());
///         for (;;) {
///             auto piece = response->read();                     // waits for the next event of a stream
///             if (!piece) return out.abort();
///             if (!*piece) return out.finish();
///             if (!out.write(**piece)) return;                   // dropping the response ends the call
///         }
///     });
///
/// All functions block and may be called from any number of threads. A response occupies its thread until it has been
/// read; clients that listen for changes keep one open for as long as they are connected.
namespace gantry {

struct MountSettings {
    /// Host names and origins to accept in addition to those of loopback; "*" accepts any. The check protects servers
    /// on a user's machine against web pages (DNS rebinding).
    std::vector<std::string> allowed_hosts = {};
    std::vector<std::string> allowed_origins = {};
    /// Longer requests get 413.
    std::size_t max_body_bytes = 4u << 20;
};

/// A request whose route is that of the mount; MCP does not look at the path.
struct MountRequest {
    std::string method;
    /// As received, Host included. The names are compared case-insensitively.
    Fields headers = {};
    std::string body = {};
    /// For messages only.
    std::string peer_address = {};
    /// Request a stop when the client disconnects: handle() and read() return, and a call of a modern client is
    /// cancelled. Not needed by servers that only notice a lost client when they write.
    std::stop_token client_gone = {};
};

/// The response to one request. Destroying it before its end means that the client has gone.
class MountResponse {
public:
    MountResponse(MountResponse&&) noexcept;
    MountResponse& operator=(MountResponse&&) noexcept;
    ~MountResponse();

    int status() const noexcept;
    /// Without Content-Length and the fields of the connection, which are the program's to add.
    const Fields& headers() const noexcept;
    /// Size of the body; empty for a stream, which is to be sent piece by piece as it is read.
    std::optional<std::uint64_t> length() const noexcept;

    /// Waits for the next piece of the body; empty optional: the body is complete. kTimeout: nothing came within
    /// `timeout`; read again. kConnection: the response broke off, so the connection must be closed for the client to
    /// notice. kCancelled: `client_gone`.
    Result<std::optional<std::string>> read(std::optional<std::chrono::milliseconds> timeout = {});

    struct State;  // internal
    explicit MountResponse(std::unique_ptr<State> state) noexcept;

private:
    std::unique_ptr<State> state_;
};

/// The entry to a mounted server. Thread-safe; copies are the same entry. It may outlive the server, and answers 503
/// once that has stopped.
class Mount {
public:
    /// Waits until the response begins: for a slow tool about five seconds, then it begins as an event stream.
    /// kCancelled if `client_gone` was requested before.
    Result<MountResponse> handle(MountRequest request) const;

    class Impl;  // internal
    explicit Mount(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

private:
    std::shared_ptr<const Impl> impl_;
};

}  // namespace gantry
