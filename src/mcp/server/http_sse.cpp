// HTTP+SSE, the transport of 2024-11-05: one stream for all messages of the server, and a URL to POST to.
#include "io/sse/parser.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/media_type.hpp"
#include "mcp/server/post_decision.hpp"
#include "mcp/server/spooled_answer.hpp"
#include "mcp/server/sse_session.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kPurpose = "sse";
constexpr std::string_view kParameter = "sessionId=";
/// How long a message waits for the client to read its stream before it is rejected.
constexpr Duration kRoomTime = seconds(10);
/// Bound on the messages in flight, over all sessions: unlike with Streamable HTTP, no open connection limits their
/// number.
constexpr std::size_t kMaxBytesInFlight = 64u << 20;

std::string_view token_in(std::string_view target) {
    const std::size_t query = target.find('?');
    if (query == std::string_view::npos) return {};
    target.remove_prefix(query + 1);
    while (!target.empty()) {
        const std::size_t end = target.find('&');
        const std::string_view part = target.substr(0, end);
        if (part.starts_with(kParameter)) return part.substr(kParameter.size());
        target = end == std::string_view::npos ? std::string_view() : target.substr(end + 1);
    }
    return {};
}

}  // namespace

bool SseSession::offer(std::string_view message) {
    std::string event;
    append_message_event(event, message);
    return stream.offer(event);
}

void SseSession::push(std::string_view message) {
    std::string event;
    append_message_event(event, message);
    stream.push(event);
}

Task<void> SseSession::answer(const Context& ctx, std::string_view raw_id, Answer answer) {
    // The stream is shared: it must not wait for one answer, nor be cut because of one.
    if (auto spooled = co_await spool_answer(ctx, answer); !spooled) {
        answer = Answer{.message = wire::error_message(raw_id, broken_off(spooled.error()))};
    }
    if (answer.rest) {
        const auto turn = co_await long_turn.lock(ctx);
        if (turn) (void)co_await stream.pass(ctx, std::move(answer));
        co_return;
    }
    std::string whole;
    wire::append_whole(whole, answer);
    if (co_await stream.room(ctx)) push(whole);
}

Task<void> HttpEndpoint::Impl::open_sse(const Context& ctx, HttpRequest request, std::string_view message_path) {
    const InFlightGuard in_flight(*this);
    if (co_await turn_away(ctx, request)) co_return;
    http::Exchange& exchange = request.exchange;
    if (exchange.method() == "OPTIONS") {
        const auto asked = exchange.headers().get("access-control-request-headers").value_or("");
        const auto headers = request.head.origin ? preflight(request.head.origin.value, asked) : http::Headers();
        (void)co_await exchange.respond(ctx, 204, headers, "");
        co_return;
    }
    if (exchange.method() != "GET" || options.eras == Eras::kModern) {
        co_return co_await send_empty(ctx, request, 405, {{"Allow", "GET, OPTIONS"}});
    }
    auto who = co_await request.backend.identify(
        ctx, {.headers = &exchange.headers(), .peer_address = exchange.peer_address()});
    if (!who) co_return co_await send_refusal(ctx, request, std::move(who).error());
    if (streams.size() >= options.max_streams) {
        co_return co_await send_empty(ctx, request, 503, {{"Retry-After", "1"}});
    }

    const auto lifetime = std::chrono::duration_cast<std::chrono::seconds>(options.session_lifetime);
    const SessionFacts facts{.id = new_session_name(),
                             .path = std::string(request.path),
                             .identity = (*who)->key(),
                             .expires = unix_now() + lifetime.count()};
    Conversation::Options how{.eras = Eras::kLegacy,
                              .limits = limits,
                              .max_calls = options.max_calls_per_session,
                              .ask_timeout = options.ask_timeout,
                              .session = facts.id,
                              .bytes_in_flight = &sse_bytes};
    const auto session =
        std::make_shared<SseSession>(ctx, request.backend, *who, options.max_queued_bytes, std::move(how));
    sse_sessions.emplace(facts.id, session);
    const OpenStream open(*this, session->stream, {});
    std::string endpoint(message_path);
    endpoint.append(endpoint.find('?') == std::string::npos ? "?" : "&").append(kParameter);
    endpoint += seal_session(sealer, kPurpose, facts);
    std::string first;
    sse::append_event(first, "endpoint", endpoint);
    session->stream.push(first);

    const http::Headers headers = stream_headers(request);
    (void)co_await session->stream.run(ctx, exchange, headers, options.keep_alive);
    sse_sessions.erase(facts.id);
    co_await session->conversation.finish(Duration::zero());
}

Task<void> HttpEndpoint::Impl::post_sse(const Context& ctx, http::Exchange& exchange) {
    const InFlightGuard in_flight(*this);
    if (co_await refuse_host_or_origin(ctx, exchange)) co_return;
    const RequestHead head = RequestHead::of(exchange.headers());
    const auto cors = [&](http::Headers headers) {
        if (head.origin) add_cors(headers, head.origin.value);
        return headers;
    };
    const auto respond = [&](int status, const http::Headers& headers) {
        return exchange.respond(ctx, status, headers, "");
    };
    if (exchange.method() == "OPTIONS") {
        const auto asked = exchange.headers().get("access-control-request-headers").value_or("");
        const auto headers = head.origin ? preflight(head.origin.value, asked) : http::Headers();
        (void)co_await respond(204, headers);
        co_return;
    }
    int status = 202;
    const auto facts = open_session(sealer, kPurpose, token_in(exchange.target()));
    const auto found = facts ? sse_sessions.find(facts->id) : sse_sessions.end();
    if (exchange.method() != "POST") {
        status = 405;
    } else if (found == sse_sessions.end()) {
        status = 404;
    } else if (!is_json_type(head.content_type.value)) {
        status = 415;
    }
    if (status != 202) {
        const http::Headers headers = cors({});
        (void)co_await respond(status, headers);
        co_return;
    }
    const std::shared_ptr<SseSession> session = found->second;
    const auto who = co_await session->backend.identify(
        ctx, {.headers = &exchange.headers(), .peer_address = exchange.peer_address()});
    if (!who || (*who)->key() != session->identity->key()) {
        const int refused = who ? 404 : who.error().status;
        http::Headers headers = cors({});
        if (!who && !who.error().challenge.empty()) headers.add("WWW-Authenticate", who.error().challenge);
        (void)co_await respond(refused, headers);
        co_return;
    }
    // Back-pressure: a client that does not read its stream is not read either, because all answers end up there.
    auto room = co_await session->stream.until_not_full(ctx.within(kRoomTime));
    const bool small = exchange.body_length().value_or(kLargeRequest + 1) <= kLargeRequest;
    std::string message;
    if (room && (small || sse_bytes < kMaxBytesInFlight)) {
        auto body = co_await exchange.read_all(ctx, options.max_body_bytes);
        if (!body) {
            if (body.error().code() == ErrorCode::kLimit) (void)co_await respond(413, cors({}));
            co_return;
        }
        message = *std::move(body);
    }
    // It may have ended meanwhile.
    const bool open = sse_sessions.contains(facts->id);
    const bool taken = open && !message.empty() && session->stream.not_full();
    if (taken) session->conversation.receive(std::move(message));
    const http::Headers headers = cors(taken || !open ? http::Headers() : http::Headers{{"Retry-After", "1"}});
    (void)co_await respond(taken ? 202 : open ? 503 : 404, headers);
}

}  // namespace gantry::mcp
