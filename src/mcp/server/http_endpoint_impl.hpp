#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "io/loop.hpp"
#include "io/scope.hpp"
#include "mcp/server/event_stream.hpp"
#include "mcp/server/hosts.hpp"
#include "mcp/server/http_endpoint.hpp"
#include "mcp/server/http_session.hpp"
#include "mcp/server/peers.hpp"
#include "mcp/server/request_head.hpp"
#include "mcp/server/request_validation.hpp"
#include "mcp/server/session_id.hpp"
#include "mcp/server/session_table.hpp"

namespace gantry::mcp {

class SseSession;
struct PostDecision;
struct PostLoad;

using IdentityPtr = std::shared_ptr<const Identity>;

/// One request, passed along by all parts of the endpoint. References and views live as long as the exchange.
struct HttpRequest {
    http::Exchange& exchange;
    Backend& backend;
    std::string_view path;
    RequestHead head;
};

/// The message of a POST. Views live as long as the serving of that POST.
struct PostedMessage {
    std::string_view text;
    const json::EnvelopeView& view;  // of text
    std::string_view method;         // unescaped; empty if it has none
    const IdentityPtr& identity;
};

/// The client that a message comes from.
struct Sender {
    PeerPtr peer;
    std::shared_ptr<HttpSession> session = {};  // null: modern, or a legacy endpoint without sessions
    PeerCache::Client& client;                  // valid until the next wait, or as long as it counts a call
};

class HttpEndpoint::Impl {
public:
    Impl(HttpEndpointOptions given, auth::Sealer& with);

    // http_endpoint.cpp
    Task<void> handle(const Context& ctx, HttpRequest request);
    Task<void> beside_post(const Context& ctx, HttpRequest request);
    std::optional<Refusal> check_host_and_origin(const RequestHead& head) const;
    void note_refused_host(const RequestHead& head) const;
    /// True: the request was rejected and answered.
    Task<bool> turn_away(const Context& ctx, HttpRequest& request);
    std::string_view allowed_methods() const noexcept;
    Task<bool> refuse_host_or_origin(const Context& ctx, http::Exchange& exchange);
    void drain();
    Task<void> close(Context grace);

    // http_post.cpp
    Task<void> post(const Context& ctx, HttpRequest request);
    /// Reads the rest of a request body after `held`, which then has all of it. Empty: rejected and answered.
    Task<std::optional<std::string_view>> rest_of_body(const Context& ctx, HttpRequest& request, std::string& held);
    Task<void> post_other(const Context& ctx, HttpRequest& request, const PostedMessage& message,
                          const PostDecision& decided);
    /// Takes the sender's peer.
    static Call call_of(const HttpRequest& request, const PostedMessage& message, Sender& sender,
                        const PostDecision& decided);
    PostLoad load_of(const Sender& sender, std::string_view id) const noexcept;

    // http_one_way.cpp: messages that have no answer
    Task<void> post_notification(const Context& ctx, HttpRequest& request, const PostedMessage& message,
                                 const PostDecision& decided);
    Task<void> post_response(const Context& ctx, HttpRequest& request, const PostedMessage& message);

    // http_batch.cpp
    Task<void> post_batch(const Context& ctx, HttpRequest& request, const PostedMessage& message,
                          const PostDecision& decided);
    Task<std::string> batch_item(const Context& ctx, HttpRequest& request, std::string text, Sender sender);

    // http_get.cpp
    Task<void> get(const Context& ctx, HttpRequest& request);
    Task<void> run_get(const Context& ctx, HttpRequest& request, std::shared_ptr<HttpSession> session,
                       std::optional<std::uint64_t> after);
    Task<void> watch_for(Context ctx, std::shared_ptr<HttpSession> session);
    Task<void> resume_post(const Context& ctx, HttpRequest& request, std::shared_ptr<HttpSession> session,
                           EventId from);

    // http_listen.cpp
    Task<void> listen(const Context& ctx, HttpRequest& request, const Call& call);

    // http_sse.cpp
    Task<void> open_sse(const Context& ctx, HttpRequest request, std::string_view message_path);
    Task<void> post_sse(const Context& ctx, http::Exchange& exchange);

    // http_reply.cpp: unstreamed answers
    http::Headers with_cors(const HttpRequest& request, http::Headers headers) const;
    Task<void> send_json(const Context& ctx, HttpRequest& request, int status, std::string body,
                         http::Headers more = {});
    Task<void> send_error(const Context& ctx, HttpRequest& request, std::string_view raw_id, Rejection fall);
    Task<void> send_empty(const Context& ctx, HttpRequest& request, int status, http::Headers more = {});
    /// Ends the response without an answer, for a cancelled request.
    Task<void> send_empty_stream(const Context& ctx, HttpRequest& request);
    Task<void> send_refusal(const Context& ctx, HttpRequest& request, Refusal refusal);
    Task<void> send_answer(const Context& ctx, HttpRequest& request, Answer answer, int status);
    http::Headers stream_headers(const HttpRequest& request) const;

    // http_sessions.cpp: who sends a message, and how an endpoint introduces itself
    /// The client that sent a message, by its self-description (modern), its version (stateless) or its session.
    std::expected<Sender, Rejection> sender_of(const HttpRequest& request, const PostedMessage& message,
                                               const PostDecision& decided);
    /// A legacy client without a session is identified by its version only.
    std::expected<PeerPtr, Rejection> lone_peer(const RequestHead& head, PeerCache::Client& client,
                                                const IdentityPtr& identity);
    /// The session a legacy request presents; otherwise the status and reason to answer with.
    std::expected<std::shared_ptr<HttpSession>, Rejection> session_of(const HttpRequest& request,
                                                                      const IdentityPtr& identity);
    Task<void> initialize(const Context& ctx, HttpRequest& request, const PostedMessage& message);
    Task<Answer> discover(const Context& ctx, const Call& call, Backend& backend);
    Task<void> remove(const Context& ctx, HttpRequest& request);
    bool can_tell(Era era) const noexcept { return !options.json_only && (era == Era::kModern || !options.stateless); }
    void sweep_later();
    /// Schedules the poll for sessions revoked by other instances: they and their streams end within a second, without
    /// a lookup per request.
    void poll_revocations();

    /// A stream that drain() has to end, and the final message it has to send.
    class OpenStream {
    public:
        OpenStream(Impl& owner, EventStream& stream, std::string farewell)
            : owner_(owner), place_(owner.streams.emplace(&stream, std::move(farewell)).first) {}
        ~OpenStream() { owner_.streams.erase(place_); }
        OpenStream(const OpenStream&) = delete;
        OpenStream& operator=(const OpenStream&) = delete;

    private:
        Impl& owner_;
        std::unordered_map<EventStream*, std::string>::iterator place_;
    };

    /// Counts requests in flight; close() waits for them.
    class InFlightGuard {
    public:
        explicit InFlightGuard(Impl& owner) noexcept : owner_(owner) { ++owner_.inside; }
        ~InFlightGuard() {
            if (--owner_.inside == 0) owner_.left.pulse();
        }
        InFlightGuard(const InFlightGuard&) = delete;
        InFlightGuard& operator=(const InFlightGuard&) = delete;

    private:
        Impl& owner_;
    };

    void configure(const HttpEndpointOptions& next);

    HttpEndpointOptions options;
    auth::Sealer& sealer;
    HostRules hosts;
    JsonLimits limits;
    const http::Headers json_headers;
    PeerCache peers;
    EventNames names;
    SessionTable sessions;
    std::unordered_map<std::string, std::shared_ptr<SseSession>> sse_sessions;  // by the name in their id
    std::size_t sse_bytes = 0;  // of the messages in flight on all of these
    std::unordered_map<EventStream*, std::string> streams;
    CallList calls;  // those without a session
    std::size_t serving = 0;
    std::size_t large_bytes = 0;  // of the large requests in flight
    std::size_t inside = 0;
    bool draining = false;
    Event left;
    Loop::Alarm sweeper;
    Loop::Alarm revocation_timer;
    // The last profile described and its encoding, which most clients share.
    std::shared_ptr<const ServerProfile> described;
    std::shared_ptr<const std::string> description;
};

}  // namespace gantry::mcp
