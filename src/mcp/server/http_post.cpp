// POST: receives one message, decides what to do with it (post_decision.hpp) and does it. A request has one coroutine
// from its body to its answer: a frame per step would cost every call.
#include "io/loop.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/post_decision.hpp"
#include "mcp/server/served_request.hpp"

namespace gantry::mcp {
namespace {

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
        if (rest.error().code() == ErrorCode::kLimit) co_await send_error(ctx, request, {}, body_too_large());
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
    const RequestOrigin origin{.headers = &exchange.headers(), .peer_address = exchange.peer_address()};
    IdentityPtr identity = request.backend.known(origin);
    if (!identity) {
        auto who = co_await request.backend.identify(ctx, origin);
        if (!who) co_return co_await send_refusal(ctx, request, std::move(who).error());
        identity = *std::move(who);
    }
    if (auto rejected = check_post_head(request.head, exchange.body_length(), options.max_body_bytes)) {
        co_return co_await send_error(ctx, request, {}, *std::move(rejected));
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
    const auto plain = scanned->method.plain_text();
    const std::string spelt = plain ? std::string() : scanned->method.text().value_or("");
    const PostedMessage message{
        .text = *text, .view = *scanned, .method = plain ? *plain : spelt, .identity = identity};
    const auto decided = decide_post(request.head, message.view, message.method, options.eras);
    if (!decided) co_return co_await send_error(ctx, request, usable_id(message.view), decided.error());
    if (!decided->is_request()) co_return co_await post_other(ctx, request, message, *decided);

    const std::string_view id = message.view.id.raw();
    auto sender = sender_of(request, message, *decided);
    if (!sender) co_return co_await send_error(ctx, request, id, std::move(sender).error());
    const Call call = call_of(request, message, *sender, *decided);
    if (decided->action == PostDecision::Action::kListen) co_return co_await listen(ctx, request, call);
    if (auto rejected = check_load(load_of(*sender, id), text->size(), options.max_calls_per_session)) {
        co_return co_await send_error(ctx, request, id, *std::move(rejected));
    }
    ServedRequest served(*this, ctx, request, call, *sender, *decided);
    Answer answer = co_await served.answer();
    if (served.cancelled()) answer = Answer();  // a cancelled request gets no answer
    const int status = status_of(answer.error, decided->era);
    if (!served.line().untouched()) co_return co_await served.line().settle(std::move(answer), status);
    switch (delivery_of(answer, request.head)) {
        case Delivery::kNothing: co_return co_await send_empty_stream(ctx, request);
        case Delivery::kInParts: co_return co_await send_answer(ctx, request, std::move(answer), status);
        case Delivery::kWhole:
            co_await yield_if_busy();
            (void)co_await exchange.respond(ctx, status, json_headers, answer.message);
            break;
        case Delivery::kWholeSmall:
            co_await yield_if_busy();
            if (!exchange.try_respond(status, json_headers, answer.message)) (void)co_await exchange.flush(ctx);
            break;
    }
}

// Messages that are no requests, and initialize. Not a coroutine, for the same reason.
Task<void> HttpEndpoint::Impl::post_other(const Context& ctx, HttpRequest& request, const PostedMessage& message,
                                          const PostDecision& decided) {
    using enum PostDecision::Action;
    switch (decided.action) {
        case kServeBatch: return post_batch(ctx, request, message, decided);
        case kTakeResponse: return post_response(ctx, request, message);
        case kTakeNotification: return post_notification(ctx, request, message, decided);
        case kStartSession: return initialize(ctx, request, message);
        case kListen:
        case kServeRequest: break;
    }
    std::unreachable();
}

Call HttpEndpoint::Impl::call_of(const HttpRequest& request, const PostedMessage& message, Sender& sender,
                                 const PostDecision& decided) {
    const MethodInfo* const info =
        decided.modern() ? decided.claim.info : find_method(message.method, sender.peer->revision);
    return {.peer = std::move(sender.peer),
            .text = message.text,
            .view = message.view,
            .method = message.method,
            .info = info,
            .log_level = sender.session ? sender.session->level : decided.claim.log_level,
            .headers = &request.exchange.headers()};
}

PostLoad HttpEndpoint::Impl::load_of(const Sender& sender, std::string_view id) const noexcept {
    const CallList* const own = sender.session ? &sender.session->calls : nullptr;
    return {.calls = own != nullptr ? own->size() : sender.client.calls,
            .id_in_flight = own != nullptr && own->find(id) != nullptr,
            .large_bytes = large_bytes};
}

}  // namespace gantry::mcp
