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

/// Which eras an endpoint speaks.
enum class Eras : std::uint8_t { kBoth, kLegacy, kModern };

struct HttpEndpointOptions {
    Eras eras = Eras::kBoth;
    /// Legacy without sessions: every POST stands alone, no GET stream, nothing can be asked or told unasked.
    bool stateless = false;
    /// Every answer is one JSON body; progress, logs and questions have no way back.
    bool json_only = false;
    /// Host names besides localhost, 127.0.0.1 and [::1] that a request may name, without port; "*" admits any.
    std::vector<std::string> allowed_hosts = {};
    /// Called with a Host field that was refused, as it came: for the operator, who may have to list it.
    std::function<void(std::string_view host)> on_refused_host = {};
    /// Origins besides those of loopback that a browser may come from; "*" admits any.
    std::vector<std::string> allowed_origins = {};
    std::size_t max_body_bytes = 4u << 20;
    /// The deepest nesting of a message.
    std::size_t max_depth = 64;
    /// Calls one client may have in flight at once (principal, or session).
    std::size_t max_calls_per_session = 256;
    /// How long a legacy session that has a log level or subscriptions lasts without being used, and how long any
    /// session lasts. One without either is released from memory after five idle minutes; its id still works.
    Duration session_idle = std::chrono::hours(24);
    Duration session_lifetime = std::chrono::hours(24 * 7);
    /// What is known of sessions beyond their ids (streams, log level, subscriptions): the least recently used go.
    std::size_t max_sessions = 100'000;
    /// Where DELETE of a legacy session is remembered for other instances and for later; must outlive the endpoint.
    /// Null: by this endpoint alone.
    Revocations* revocations = nullptr;
    /// Kept for Last-Event-ID, per session.
    std::size_t replay_events = 256;
    std::size_t replay_bytes = 256u << 10;
    /// What may wait for a slow reader, per stream; notifications beyond it are dropped, answers wait.
    std::size_t max_queued_bytes = 256u << 10;
    std::size_t max_streams = 20'000;
    Duration keep_alive = seconds(15);
    /// A request unanswered for this long gets an event stream, so that keep-alives can flow.
    Duration stream_after = seconds(5);
    /// For one answer to one question put to a legacy client.
    Duration ask_timeout = std::chrono::minutes(10);
};

/// MCP over HTTP: Streamable HTTP of both eras on one URL, and HTTP+SSE beside it.
///
///     HttpEndpoint endpoint(options, sealer);
///     http::Server server(loop, {…}, [&](const Context& ctx, http::Exchange& x) {
///         return endpoint.handle(ctx, x, backend, "/mcp");
///     });
///
/// One endpoint may serve any number of backends, each under a path of its own; a session belongs to the path it was
/// opened on. The immutable part of a legacy session travels sealed in its id, so that any instance with the same key
/// serves it, also after a restart. Belongs to one loop.
class HttpEndpoint {
public:
    /// `sealer` must outlive the endpoint.
    HttpEndpoint(HttpEndpointOptions options, auth::Sealer& sealer);
    ~HttpEndpoint();
    HttpEndpoint(const HttpEndpoint&) = delete;
    HttpEndpoint& operator=(const HttpEndpoint&) = delete;

    /// Serves one exchange of Streamable HTTP: POST, GET, DELETE, OPTIONS. `backend` must outlive the endpoint's
    /// close().
    Task<void> handle(const Context& ctx, http::Exchange& exchange, Backend& backend, std::string_view path);
    /// Opens an HTTP+SSE session; its messages are to be posted to `message_path`.
    Task<void> handle_sse(const Context& ctx, http::Exchange& exchange, Backend& backend, std::string_view path,
                          std::string_view message_path);
    Task<void> handle_sse_message(const Context& ctx, http::Exchange& exchange);
    /// The first rungs alone, Host and Origin, for routes beside MCP. True: already answered with a refusal.
    Task<bool> refuse_stranger(const Context& ctx, http::Exchange& exchange);

    /// From now on: whether there are sessions and streams, whose hosts and origins are admitted, and how large and
    /// deep a message may be. The rest stays as it was made; so does what is open already.
    void configure(const HttpEndpointOptions& next);

    /// Ends every listen with its result and every stream cleanly; calls in flight may finish. New requests get 503.
    void drain();
    /// Waits until nothing is open or the context ends, then cancels what is left. Required before destruction.
    Task<void> close(Context patience);
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
