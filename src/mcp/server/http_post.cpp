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

std::optional<Fall> check_media(const RequestHead& head) {
    if (is_json_type(head.content_type.value)) return std::nullopt;
    return Fall{.status = 415, .error = invalid_request("Content-Type is not application/json")};
}

Fall too_large() {
    return {.status = 413, .error = invalid_request("the message is too large")};
}

Fall too_many() {
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

Task<std::optional<std::string_view>> HttpEndpoint::Impl::rest_of_body(const Context& ctx, Visit& visit,
                                                                       std::string& held) {
    auto rest =
        co_await visit.exchange.read_all(ctx, options.max_body_bytes - std::min(held.size(), options.max_body_bytes));
    if (!rest) {
        if (rest.error().code() == ErrorCode::kLimit) co_await say_error(ctx, visit, {}, too_large());
        co_return std::nullopt;
    }
    held += *rest;
    co_return std::string_view(held);
}

Task<void> HttpEndpoint::Impl::post(const Context& ctx, Visit visit) {
    const Presence presence(*this);
    if (draining || stranger(visit.head)) {
        (void)co_await turn_away(ctx, visit);
        co_return;
    }
    http::Exchange& exchange = visit.exchange;
    Backend& backend = visit.backend;
    const Approach approach{.headers = &exchange.headers(), .peer_address = exchange.peer_address()};
    IdentityPtr identity = backend.known(approach);
    if (!identity) {
        auto who = co_await backend.identify(ctx, approach);
        if (!who) co_return co_await say_refusal(ctx, visit, std::move(who).error());
        identity = *std::move(who);
    }

    if (auto wrong = check_media(visit.head)) co_return co_await say_error(ctx, visit, {}, *std::move(wrong));
    if (exchange.body_length().value_or(0) > options.max_body_bytes) {
        co_return co_await say_error(ctx, visit, {}, too_large());
    }
    std::string held;
    auto text = body_at_hand(exchange, held);
    if (!text) text = co_await rest_of_body(ctx, visit, held);
    if (!text) co_return;

    const auto scanned = json::scan_envelope(*text, limits);
    if (!scanned) {
        co_return co_await say_error(ctx, visit, {}, {.status = 400, .error = parse_error(scanned.error().message())});
    }
    const json::EnvelopeView& view = *scanned;
    const std::string_view id = usable_id(view);
    const auto kind = shape_of(view);
    if (!kind) co_return co_await say_error(ctx, visit, id, kind.error());
    const auto era = era_of(view, *kind, &visit.head, options.eras);
    if (!era) co_return co_await say_error(ctx, visit, id, era.error());
    if (*kind == MessageKind::kBatch) co_return co_await post_batch(ctx, visit, *text, identity);
    if (*kind == MessageKind::kResponse) co_return co_await post_response(ctx, visit, view, identity);

    const std::string spelt = view.method.plain_text() ? std::string() : view.method.text().value_or("");
    const std::string_view method = view.method.plain_text().value_or(spelt);
    if (*kind == MessageKind::kNotification) {
        co_return co_await post_notification(ctx, visit, view, method, *era, identity);
    }

    // A request. The eras differ in where the client's self-description comes from.
    Call call{.peer = nullptr, .text = *text, .view = view, .method = method, .headers = &exchange.headers()};
    const bool modern = *era == Era::kModern;
    std::shared_ptr<HttpSession> session;
    PeerCache::Client& client = peers.client(identity);
    if (modern) {
        const auto claim = climb_modern(view, method, *kind, &visit.head, options.eras);
        if (!claim) co_return co_await say_error(ctx, visit, id, claim.error());
        auto peer = peers.find(client, identity, claim->revision, view.in_params.in_meta);
        if (!peer) {
            co_return co_await say_error(ctx, visit, id,
                                         {.status = 400, .error = invalid_params(peer.error().message())});
        }
        call.peer = *std::move(peer);
        call.info = claim->info;
        call.log_level = claim->log_level;
    } else {
        if (!accepts(visit.head.accept.value, "application/json") &&
            !accepts(visit.head.accept.value, "text/event-stream")) {
            co_return co_await say_error(ctx, visit, id,
                                         {.status = 406, .error = invalid_request("no acceptable form of answer")});
        }
        if (method == method::kInitialize) co_return co_await initialize(ctx, visit, call, identity);
        if (options.stateless) {
            auto peer = lone_peer(visit, client, identity);
            if (!peer) co_return co_await say_error(ctx, visit, id, peer.error());
            call.peer = *std::move(peer);
        } else {
            auto found = session_of(visit, identity);
            if (!found) co_return co_await say_error(ctx, visit, id, found.error());
            session = *std::move(found);
            call.peer = session->peer;
            call.log_level = session->level;
            if (session->calls.find(id) != nullptr) {
                co_return co_await say_error(
                    ctx, visit, id, {.status = 400, .error = invalid_request("a request with this id is in flight")});
            }
        }
        call.info = find_method(method, call.peer->revision);
    }
    if (modern && method == method::kListen) co_return co_await listen(ctx, visit, call);
    if ((session ? session->calls.size() : client.calls) >= options.max_calls_per_session) {
        co_return co_await say_error(ctx, visit, id, too_many());
    }

    // A request larger than the whole budget is admitted if no other is in flight.
    const std::size_t large = text->size() > kLargeRequest ? text->size() : 0;
    if (large != 0 && large_bytes != 0 && large_bytes + large > kMaxLargeBytes) {
        co_return co_await say_error(ctx, visit, id, too_many());
    }

    const Counted held_bytes(large_bytes, large);
    const Counted served(serving);
    const Counted own(client.calls);
    InFlight flight{.id = id, .stop = CancelSource(ctx.cancel())};
    const Listed listed(session ? session->calls : calls, flight);
    PostLine line({.endpoint = *this, .visit = visit, .ctx = ctx, .session = session.get(), .modern = modern}, flight);
    if (!modern && !accepts(visit.head.accept.value, "application/json")) line.open();
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
    if (answer.message.empty()) co_return co_await say_nothing(ctx, visit);
    if (answer.rest || answer.shared_result || visit.head.origin) {
        co_return co_await say_answer(ctx, visit, std::move(answer), status);
    }
    co_await let_others_first();
    if (answer.message.size() > kSmallAnswer) {
        (void)co_await exchange.respond(ctx, status, json_headers, answer.message);
    } else if (!exchange.try_respond(status, json_headers, answer.message)) {
        (void)co_await exchange.flush(ctx);
    }
}

}  // namespace gantry::mcp
