#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "io/http/server.hpp"
#include "mcp/server/backend.hpp"

namespace gantry::auth {
class Sealer;
}

namespace gantry::mcp {

class Revocations;

/// The eras an endpoint accepts.
enum class Eras : std::uint8_t { kBoth, kLegacy, kModern };

struct HttpEndpointOptions {
    Eras eras = Eras::kBoth;
    /// Legacy without sessions: every POST stands alone; no GET stream, no questions, no unsolicited notifications.
    bool stateless = false;
    /// Answer with a single JSON body; progress, logs and questions are not possible.
    bool json_only = false;
    /// Host names to accept besides localhost, 127.0.0.1 and [::1], without port; "*" accepts any.
    std::vector<std::string> allowed_hosts = {};
    /// Called with the verbatim Host field that was rejected, so that the operator can list it.
    std::function<void(std::string_view host)> on_refused_host = {};
    /// Origins to accept besides those of loopback; "*" accepts any.
    std::vector<std::string> allowed_origins = {};
    std::size_t max_body_bytes = 4u << 20;
    /// Maximum nesting depth of a message.
    std::size_t max_depth = 64;
    /// Maximum number of concurrent calls per client (principal, or session).
    std::size_t max_calls_per_session = 256;
    /// Idle timeout of a legacy session that has a log level or subscriptions, and the lifetime of any session. A
    /// session without either is released from memory after five idle minutes; its id remains valid.
    Duration session_idle = std::chrono::hours(24);
    Duration session_lifetime = std::chrono::hours(24 * 7);
    /// Bound on session state beyond the id (streams, log level, subscriptions); the least recently used are evicted.
    std::size_t max_sessions = 100'000;
    /// Makes the DELETE of a legacy session durable and visible to other instances; must outlive the endpoint. Null:
    /// only this endpoint knows.
    Revocations* revocations = nullptr;
    /// Kept for resumption with Last-Event-ID, per session.
    std::size_t replay_events = 256;
    std::size_t replay_bytes = 256u << 10;
    /// Bytes queued for a slow reader, per stream; notifications beyond it are dropped, answers wait.
    std::size_t max_queued_bytes = 256u << 10;
    std::size_t max_streams = 20'000;
    Duration keep_alive = seconds(15);
    /// A request unanswered for this long is switched to an event stream, so that keep-alives can be sent.
    Duration stream_after = seconds(5);
    /// Timeout for the answer to one question sent to a legacy client.
    Duration ask_timeout = std::chrono::minutes(10);
};

/// MCP over HTTP: Streamable HTTP of both eras on one URL, and HTTP+SSE next to it.
///
///     HttpEndpoint endpoint(options, sealer);
///     http::Server server(loop, {…}, [&](const Context& ctx, http::Exchange& x) {
///         return endpoint.handle(ctx, x, backend, "/mcp");
///     });
///
/// One endpoint may serve any number of backends, each under its own path; a session belongs to the path it was opened
/// on. The immutable part of a legacy session is sealed into its id, so that any instance with the same key can serve
/// it, also after a restart. Single loop.
class HttpEndpoint {
public:
    /// `sealer` must outlive the endpoint.
    HttpEndpoint(HttpEndpointOptions options, auth::Sealer& sealer);
    ~HttpEndpoint();
    HttpEndpoint(const HttpEndpoint&) = delete;
    HttpEndpoint& operator=(const HttpEndpoint&) = delete;

    /// Serves one Streamable HTTP exchange: POST, GET, DELETE, OPTIONS. `backend` must outlive the endpoint's
    /// close().
    Task<void> handle(const Context& ctx, http::Exchange& exchange, Backend& backend, std::string_view path);
    /// Opens an HTTP+SSE session whose messages are posted to `message_path`.
    Task<void> handle_sse(const Context& ctx, http::Exchange& exchange, Backend& backend, std::string_view path,
                          std::string_view message_path);
    Task<void> handle_sse_message(const Context& ctx, http::Exchange& exchange);
    /// Only the Host and Origin checks, for routes other than MCP. True: the request was rejected and answered.
    Task<bool> refuse_host_or_origin(const Context& ctx, http::Exchange& exchange);

    /// Applies a new configuration: whether there are sessions and streams, the accepted hosts and origins, and the
    /// size and depth limits of messages. Other options keep their values; open sessions and streams are not affected.
    void configure(const HttpEndpointOptions& next);

    /// Ends every listen with its result and every stream cleanly; calls in flight may finish. New requests get 503.
    void drain();
    /// Waits until everything is closed or the context ends, then cancels the rest. Required before destruction.
    Task<void> close(Context grace);
    Task<void> close(Duration grace) { return close(Context::background().within(grace)); }

    struct Counts {
        std::size_t sessions = 0;
        std::size_t streams = 0;
        std::size_t calls = 0;
    };
    Counts counts() const noexcept;

    class Impl;  // internal to this folder

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::mcp
