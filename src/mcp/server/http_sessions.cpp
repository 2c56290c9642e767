// The senders of messages, and opening, finding and ending legacy sessions over HTTP.
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/server/greeting.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/post_decision.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kPurpose = "session";

std::unexpected<Rejection> no_session(int status, std::string message) {
    return std::unexpected(Rejection{.status = status, .error = invalid_request(std::move(message))});
}

}  // namespace

std::expected<Sender, Rejection> HttpEndpoint::Impl::sender_of(const HttpRequest& request, const PostedMessage& message,
                                                               const PostDecision& decided) {
    PeerCache::Client& client = peers.client(message.identity);
    if (decided.modern()) {
        auto peer = peers.find(client, message.identity, decided.claim.revision, message.view.in_params.in_meta);
        if (!peer) {
            return std::unexpected(Rejection{.status = 400, .error = invalid_params(peer.error().message())});
        }
        return Sender{.peer = *std::move(peer), .client = client};
    }
    if (options.stateless) {
        auto peer = lone_peer(request.head, client, message.identity);
        if (!peer) return std::unexpected(std::move(peer).error());
        return Sender{.peer = *std::move(peer), .client = client};
    }
    auto session = session_of(request, message.identity);
    if (!session) return std::unexpected(std::move(session).error());
    return Sender{.peer = (*session)->peer, .session = *std::move(session), .client = client};
}

std::expected<PeerPtr, Rejection> HttpEndpoint::Impl::lone_peer(const RequestHead& head, PeerCache::Client& client,
                                                                const IdentityPtr& identity) {
    const auto version = legacy_version(head);
    if (!version) return std::unexpected(version.error());
    auto peer = peers.find(client, identity, version->value_or(Revision::k2025_03_26), "{}", {});
    if (!peer) return std::unexpected(Rejection{.error = internal_error(peer.error().message())});
    return *std::move(peer);
}

std::expected<std::shared_ptr<HttpSession>, Rejection> HttpEndpoint::Impl::session_of(const HttpRequest& request,
                                                                                      const IdentityPtr& identity) {
    const RequestHead::Field& shown = request.head.session;
    if (!shown || shown.repeated) return no_session(400, "Mcp-Session-Id header is missing");
    if (auto version = legacy_version(request.head); !version) return std::unexpected(std::move(version).error());
    auto session = sessions.find(shown.value);
    // The same answer for every mismatch, so that clients cannot learn who owns a session.
    const auto gone = [] { return no_session(404, "no such session: initialize again"); };
    if (session) {
        if (session->path != request.path || session->peer->identity->key() != identity->key()) return gone();
        if (session->peer->identity != identity) session->peer = with_identity(*session->peer, identity);
        return session;
    }
    const auto facts = open_session(sealer, kPurpose, shown.value);
    if (!facts || facts->path != request.path || facts->identity != identity->key()) return gone();
    if (sessions.revoked(facts->id)) return gone();
    auto peer = read_peer(facts->revision, facts->capabilities, facts->info);
    if (!peer) return gone();
    peer->identity = identity;
    peer->session = facts->id;
    session = std::make_shared<HttpSession>(
        request.backend, std::make_shared<const Peer>(*std::move(peer)), names,
        HttpSession::Opening{
            .token = std::string(shown.value), .path = facts->path, .expires = facts->expires, .resumed = true});
    sessions.add(session);
    sweep_later();
    poll_revocations();
    return session;
}

Task<void> HttpEndpoint::Impl::initialize(const Context& ctx, HttpRequest& request, const PostedMessage& message) {
    const Call call{.peer = nullptr,
                    .text = message.text,
                    .view = message.view,
                    .method = message.method,
                    .headers = &request.exchange.headers()};
    const IdentityPtr& identity = message.identity;
    auto said = read_introduction(call);
    if (!said) co_return co_await send_error(ctx, request, call.id(), {.status = 200, .error = said.error()});
    auto read = read_peer(said->revision, said->capabilities, said->info);
    if (!read) {
        co_return co_await send_error(ctx, request, call.id(),
                                      {.status = 200, .error = invalid_params(read.error().message())});
    }
    read->identity = identity;
    if (!options.stateless) read->session = new_session_name();
    const auto peer = std::make_shared<const Peer>(*std::move(read));
    const auto profile = co_await request.backend.profile(ctx, *peer);
    const std::string result = initialize_result(*profile, peer->revision, can_tell(Era::kLegacy));
    Answer answer = Answer::result(call, std::string_view(result));
    http::Headers more;
    if (!options.stateless) {
        const auto lifetime = std::chrono::duration_cast<std::chrono::seconds>(options.session_lifetime);
        const SessionFacts facts{.id = peer->session,
                                 .path = std::string(request.path),
                                 .identity = identity->key(),
                                 .revision = peer->revision,
                                 .capabilities = said->capabilities,
                                 .info = said->info,
                                 .expires = unix_now() + lifetime.count()};
        std::string token = seal_session(sealer, kPurpose, facts);
        more.add(header::kSessionId, token);
        sessions.add(std::make_shared<HttpSession>(
            request.backend, peer, names,
            HttpSession::Opening{.token = std::move(token), .path = facts.path, .expires = facts.expires}));
        sweep_later();
        poll_revocations();
    }
    co_await send_json(ctx, request, 200, std::move(answer.message), std::move(more));
}

Task<Answer> HttpEndpoint::Impl::discover(const Context& ctx, const Call& call, Backend& backend) {
    auto profile = co_await backend.profile(ctx, *call.peer);
    if (profile != described) {
        description =
            std::make_shared<const std::string>(discover_result(*profile, options.eras, can_tell(Era::kModern)));
        described = std::move(profile);
    }
    co_return Answer::result(call, description);
}

Task<void> HttpEndpoint::Impl::remove(const Context& ctx, HttpRequest& request) {
    auto who = co_await request.backend.identify(
        ctx, {.headers = &request.exchange.headers(), .peer_address = request.exchange.peer_address()});
    if (!who) co_return co_await send_refusal(ctx, request, std::move(who).error());
    const auto session = session_of(request, *who);
    if (!session) co_return co_await send_error(ctx, request, {}, session.error());
    sessions.revoke(*session);
    co_await send_empty(ctx, request, 204);
}

}  // namespace gantry::mcp
