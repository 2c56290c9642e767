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
#include "mcp/server/ladder.hpp"
#include "mcp/server/peers.hpp"
#include "mcp/server/request_head.hpp"
#include "mcp/server/session_id.hpp"
#include "mcp/server/session_table.hpp"

namespace gantry::mcp {

/// Larger requests in flight share a byte budget; smaller ones are bounded by their number.
inline constexpr std::size_t kLargeRequest = 64u << 10;

class SseSession;

using IdentityPtr = std::shared_ptr<const Identity>;

/// One request, passed along by all parts of the endpoint. References and views live as long as the exchange.
struct Visit {
    http::Exchange& exchange;
    Backend& backend;
    std::string_view path;
    RequestHead head;
};

class HttpEndpoint::Impl {
public:
    Impl(HttpEndpointOptions given, auth::Sealer& with);

    // http_endpoint.cpp
    Task<void> handle(const Context& ctx, Visit visit);
    Task<void> beside_post(const Context& ctx, Visit visit);
    std::optional<Refusal> stranger(const RequestHead& head) const;
    void note_refused_host(const RequestHead& head) const;
    /// True: the request was rejected and answered.
    Task<bool> turn_away(const Context& ctx, Visit& visit);
    std::string_view allowed_methods() const noexcept;
    Task<bool> refuse_stranger(const Context& ctx, http::Exchange& exchange);
    void drain();
    Task<void> close(Context patience);

    // http_post.cpp
    Task<void> post(const Context& ctx, Visit visit);
    /// Reads the rest of a request body after `held`, which then has all of it. Empty: rejected and answered.
    Task<std::optional<std::string_view>> rest_of_body(const Context& ctx, Visit& visit, std::string& held);

    // http_post_rare.cpp: everything off the hot path
    Task<void> post_notification(const Context& ctx, Visit& visit, const json::EnvelopeView& view,
                                 std::string_view method, Era era, IdentityPtr identity);
    Task<void> post_response(const Context& ctx, Visit& visit, const json::EnvelopeView& view, IdentityPtr identity);
    Task<void> post_batch(const Context& ctx, Visit& visit, std::string_view text, IdentityPtr identity);
    Task<std::string> batch_item(const Context& ctx, Visit& visit, std::string text, PeerPtr peer,
                                 std::shared_ptr<HttpSession> session);
    std::expected<PeerPtr, Fall> lone_peer(const Visit& visit, PeerCache::Client& client, const IdentityPtr& identity);
    Task<void> say_nothing(const Context& ctx, Visit& visit);
    Task<Answer> discover(const Context& ctx, const Call& call, Backend& backend);

    // http_get.cpp
    Task<void> get(const Context& ctx, Visit& visit);
    Task<void> run_get(const Context& ctx, Visit& visit, std::shared_ptr<HttpSession> session,
                       std::optional<std::uint64_t> after);
    Task<void> watch_for(Context ctx, std::shared_ptr<HttpSession> session);
    Task<void> resume_post(const Context& ctx, Visit& visit, std::shared_ptr<HttpSession> session, EventId from);

    // http_listen.cpp
    Task<void> listen(const Context& ctx, Visit& visit, const Call& call);

    // http_sse.cpp
    Task<void> open_sse(const Context& ctx, Visit visit, std::string_view message_path);
    Task<void> post_sse(const Context& ctx, http::Exchange& exchange);

    // http_reply.cpp: unstreamed answers
    http::Headers with_cors(const Visit& visit, http::Headers headers) const;
    Task<void> say_json(const Context& ctx, Visit& visit, int status, std::string body, http::Headers more = {});
    Task<void> say_error(const Context& ctx, Visit& visit, std::string_view raw_id, Fall fall);
    Task<void> say_empty(const Context& ctx, Visit& visit, int status, http::Headers more = {});
    Task<void> say_refusal(const Context& ctx, Visit& visit, Refusal refusal);
    Task<void> say_answer(const Context& ctx, Visit& visit, Answer answer, int status);
    http::Headers stream_headers(const Visit& visit) const;

    // http_sessions.cpp
    /// The session a legacy request presents; otherwise the status and reason to answer with.
    std::expected<std::shared_ptr<HttpSession>, Fall> session_of(const Visit& visit, const IdentityPtr& identity);
    Task<void> initialize(const Context& ctx, Visit& visit, const Call& call, IdentityPtr identity);
    Task<void> remove(const Context& ctx, Visit& visit);
    bool can_tell(Era era) const noexcept { return !options.json_only && (era == Era::kModern || !options.stateless); }
    void sweep_later();
    /// Schedules the poll for sessions revoked by other instances: they and their streams end within a second, without
    /// a lookup per request.
    void heed_later();

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
    class Presence {
    public:
        explicit Presence(Impl& owner) noexcept : owner_(owner) { ++owner_.inside; }
        ~Presence() {
            if (--owner_.inside == 0) owner_.left.pulse();
        }
        Presence(const Presence&) = delete;
        Presence& operator=(const Presence&) = delete;

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
    Loop::Alarm ear;
    // The last face described and its encoding, which most clients share.
    std::shared_ptr<const Face> described;
    std::shared_ptr<const std::string> description;
};

}  // namespace gantry::mcp
