// Unstreamed answers, and the heads of streamed ones.
#include <array>

#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {

http::Headers HttpEndpoint::Impl::with_cors(const HttpRequest& request, http::Headers headers) const {
    if (request.head.origin) add_cors(headers, request.head.origin.value);
    return headers;
}

http::Headers HttpEndpoint::Impl::stream_headers(const HttpRequest& request) const {
    return with_cors(request, {{"Content-Type", "text/event-stream"},
                               {"Cache-Control", "no-cache, no-transform"},
                               {"X-Accel-Buffering", "no"}});
}

Task<void> HttpEndpoint::Impl::send_json(const Context& ctx, HttpRequest& request, int status, std::string body,
                                         http::Headers more) {
    more.add("Content-Type", "application/json");
    const http::Headers headers = with_cors(request, std::move(more));
    (void)co_await request.exchange.respond(ctx, status, headers, body);
}

Task<void> HttpEndpoint::Impl::send_error(const Context& ctx, HttpRequest& request, std::string_view raw_id,
                                          Rejection rejection) {
    return send_json(ctx, request, rejection.status, wire::error_message(raw_id, rejection.error));
}

Task<void> HttpEndpoint::Impl::send_empty(const Context& ctx, HttpRequest& request, int status, http::Headers more) {
    const http::Headers headers = with_cors(request, std::move(more));
    (void)co_await request.exchange.respond(ctx, status, headers, "");
}

Task<void> HttpEndpoint::Impl::send_empty_stream(const Context& ctx, HttpRequest& request) {
    const http::Headers headers = stream_headers(request);
    (void)co_await request.exchange.respond(ctx, 200, headers, "");
}

Task<void> HttpEndpoint::Impl::send_refusal(const Context& ctx, HttpRequest& request, Refusal refusal) {
    http::Headers more;
    if (!refusal.challenge.empty() && http::Headers::valid_value(refusal.challenge)) {
        more.add("WWW-Authenticate", refusal.challenge);
    }
    const Json body = JsonObject{{"error", refusal.status == 401 ? "unauthorized" : "refused"},
                                 {"error_description", refusal.message}};
    return send_json(ctx, request, refusal.status, body.dump(), std::move(more));
}

Task<void> HttpEndpoint::Impl::send_answer(const Context& ctx, HttpRequest& request, Answer answer, int status) {
    http::Headers own;
    if (request.head.origin) own = with_cors(request, json_headers);
    const http::Headers& headers = request.head.origin ? own : json_headers;
    http::Exchange& exchange = request.exchange;
    if (answer.rest) {
        if (!co_await exchange.start_with(ctx, status, headers, std::nullopt, answer.message)) co_return;
        for (;;) {
            // On error the response is left unfinished: the connection is closed, so it cannot pass for complete.
            const auto piece = co_await answer.rest->next(ctx);
            if (!piece) co_return;
            if (!*piece) break;
            if (!co_await exchange.write(ctx, **piece)) co_return;
        }
        (void)co_await exchange.finish(ctx);
    } else if (answer.shared_result) {
        const std::array<std::string_view, 3> pieces{answer.message, *answer.shared_result, "}"};
        (void)co_await exchange.respond_pieces(ctx, status, headers, pieces);
    } else {
        (void)co_await exchange.respond(ctx, status, headers, answer.message);
    }
}

}  // namespace gantry::mcp
