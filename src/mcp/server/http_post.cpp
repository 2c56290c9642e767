// POST: one message, the usual case.
#include "base/counted.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/server/housekeeping.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/media_type.hpp"
#include "mcp/server/post_line.hpp"

namespace gantry::mcp {
namespace {

/// Smaller answers are copied after their head, larger ones sent as separate pieces.
constexpr std::size_t kSmallAnswer = 4096;
constexpr std::size_t kMaxLargeBytes = 64u << 20;

std::optional<Rejection> check_media(const RequestHead& head) {
    if (is_json_type(head.content_type.value)) return std::nullopt;
    return Rejection{.status = 415, .error = invalid_request("Content-Type is not application/json")};
}

Rejection too_large() {
    return {.status = 413, .error = invalid_request("the message is too large")};
}

Rejection too_many() {
    return {.status = 200, .error = internal_error("too many requests in flight")};
}

/// Fast path: the body, if it has arrived completely in one piece, without copying or waiting.
std::optional<std::string_view> body_at_hand(http::Exchange& exchange, std::string& held) {
    auto piece = exchange.take();
    if (!piece || !*piece) return std::nullopt;
    if (exchange.body_complete()) return **piece;
    held = **piece;
    return std::nullopt;
}

}  // namespace

Task<std::optional<std::string_view>> HttpEndpoint::Impl::rest_of_body(const Context& ctx, HttpRequest& request,
                                                                       std::string& held) {
    auto rest =
        co_await request.exchange.read_all(ctx, options.max_body_bytes - std::min(held.size(), options.max_body_bytes));
    if (!rest) {
        if (rest.error().code() == ErrorCode::kLimit) co_await send_error(ctx, request, {}, too_large());
        co_return std::nullopt;
    }
    held += *rest;
    co_return std::string_view(held);
}

Task<void> HttpEndpoint::Impl::post(const Context& ctx, HttpRequest request) {
    const InFlightGuard in_flight(*this);
    if (draining || check_host_and_origin(request.head)) {
        (void)co_await turn_away(ctx, request);
        co_return;
    }
    http::Exchange& exchange = request.exchange;
    Backend& backend = request.backend;
    const RequestOrigin origin{.headers = &exchange.headers(), .peer_address = exchange.peer_address()};
    IdentityPtr identity = backend.known(origin);
    if (!identity) {
        auto who = co_await backend.identify(ctx, origin);
        if (!who) co_return co_await send_refusal(ctx, request, std::move(who).error());
        identity = *std::move(who);
    }

    if (auto wrong = check_media(request.head)) co_return co_await send_error(ctx, request, {}, *std::move(wrong));
    if (exchange.body_length().value_or(0) > options.max_body_bytes) {
        co_return co_await send_error(ctx, request, {}, too_large());
    }
    std::string held;
    auto text = body_at_hand(exchange, held);
    if (!text) text = co_await rest_of_body(ctx, request, held);
    if (!text) co_return;

    const auto scanned = json::scan_envelope(*text, limits);
    if (!scanned) {
        co_return co_await send_error(ctx, request, {},
                                      {.status = 400, .error = parse_error(scanned.error().message())});
    }
    const json::EnvelopeView& view = *scanned;
    const std::string_view id = usable_id(view);
    const auto kind = shape_of(view);
    if (!kind) co_return co_await send_error(ctx, request, id, kind.error());
    const auto era = era_of(view, *kind, &request.head, options.eras);
    if (!era) co_return co_await send_error(ctx, request, id, era.error());
    if (*kind == MessageKind::kBatch) co_return co_await post_batch(ctx, request, *text, identity);
    if (*kind == MessageKind::kResponse) co_return co_await post_response(ctx, request, view, identity);

    const std::string spelt = view.method.plain_text() ? std::string() : view.method.text().value_or("");
    const std::string_view method = view.method.plain_text().value_or(spelt);
    if (*kind == MessageKind::kNotification) {
        co_return co_await post_notification(ctx, request, view, method, *era, identity);
    }

    // A request. The eras differ in where the client's self-description comes from.
    Call call{.peer = nullptr, .text = *text, .view = view, .method = method, .headers = &exchange.headers()};
    const bool modern = *era == Era::kModern;
    std::shared_ptr<HttpSession> session;
    PeerCache::Client& client = peers.client(identity);
    if (modern) {
        const auto claim = validate_modern(view, method, *kind, &request.head, options.eras);
        if (!claim) co_return co_await send_error(ctx, request, id, claim.error());
        auto peer = peers.find(client, identity, claim->revision, view.in_params.in_meta);
        if (!peer) {
            co_return co_await send_error(ctx, request, id,
                                          {.status = 400, .error = invalid_params(peer.error().message())});
        }
        call.peer = *std::move(peer);
        call.info = claim->info;
        call.log_level = claim->log_level;
    } else {
        if (!accepts(request.head.accept.value, "application/json") &&
            !accepts(request.head.accept.value, "text/event-stream")) {
            co_return co_await send_error(ctx, request, id,
                                          {.status = 406, .error = invalid_request("no acceptable form of answer")});
        }
        if (method == method::kInitialize) co_return co_await initialize(ctx, request, call, identity);
        if (options.stateless) {
            auto peer = lone_peer(request, client, identity);
            if (!peer) co_return co_await send_error(ctx, request, id, peer.error());
            call.peer = *std::move(peer);
        } else {
            auto found = session_of(request, identity);
            if (!found) co_return co_await send_error(ctx, request, id, found.error());
            session = *std::move(found);
            call.peer = session->peer;
            call.log_level = session->level;
            if (session->calls.find(id) != nullptr) {
                co_return co_await send_error(
                    ctx, request, id, {.status = 400, .error = invalid_request("a request with this id is in flight")});
            }
        }
        call.info = find_method(method, call.peer->revision);
    }
    if (modern && method == method::kListen) co_return co_await listen(ctx, request, call);
    if ((session ? session->calls.size() : client.calls) >= options.max_calls_per_session) {
        co_return co_await send_error(ctx, request, id, too_many());
    }

    // A request larger than the whole budget is admitted if no other is in flight.
    const std::size_t large = text->size() > kLargeRequest ? text->size() : 0;
    if (large != 0 && large_bytes != 0 && large_bytes + large > kMaxLargeBytes) {
        co_return co_await send_error(ctx, request, id, too_many());
    }

    const Counted held_bytes(large_bytes, large);
    const Counted served(serving);
    const Counted own(client.calls);
    InFlight flight{.id = id, .stop = CancelSource(ctx.cancel())};
    const Listed listed(session ? session->calls : calls, flight);
    PostLine line({.endpoint = *this, .request = request, .ctx = ctx, .session = session.get(), .modern = modern},
                  flight);
    if (!modern && !accepts(request.head.accept.value, "application/json")) line.open();
    line.watch();
    const Context wanted = ctx.stopped_by(flight.stop);
    Answer answer;
    if (modern ? method == method::kDiscover : is_housekeeping(call)) {
        answer = modern ? co_await discover(wanted, call, backend)
                        : co_await keep_house(wanted, call, backend, session.get());
    } else {
        answer = co_await backend.answer(wanted, call, line);
    }
    if (flight.cancelled) answer = Answer();  // a cancelled request gets no answer
    const int status = status_of(answer.error, *era);
    if (!line.untouched()) co_return co_await line.settle(std::move(answer), status);
    if (answer.message.empty()) co_return co_await send_empty_stream(ctx, request);
    if (answer.rest || answer.shared_result || request.head.origin) {
        co_return co_await send_answer(ctx, request, std::move(answer), status);
    }
    co_await yield_if_busy();
    if (answer.message.size() > kSmallAnswer) {
        (void)co_await exchange.respond(ctx, status, json_headers, answer.message);
    } else if (!exchange.try_respond(status, json_headers, answer.message)) {
        (void)co_await exchange.flush(ctx);
    }
}

}  // namespace gantry::mcp
