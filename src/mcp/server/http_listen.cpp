// subscriptions/listen of a modern client over HTTP.
#include "mcp/protocol/errors.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/listener.hpp"

namespace gantry::mcp {

Task<void> HttpEndpoint::Impl::listen(const Context& ctx, HttpRequest& request, const Call& call) {
    const std::string_view id = call.id();
    if (options.json_only) {
        co_return co_await send_error(ctx, request, id, {.status = 404, .error = method_not_found(call.method)});
    }
    auto wanted = read_interest(call);
    if (!wanted) co_return co_await send_error(ctx, request, id, {.status = 200, .error = wanted.error()});
    if (streams.size() >= options.max_streams) {
        co_return co_await send_error(ctx, request, id,
                                      {.status = 503, .error = internal_error("too many streams are open")});
    }
    InFlight flight{.id = id, .stop = CancelSource(ctx.cancel())};
    const Listed listed(calls, flight);
    const Context here = ctx.stopped_by(flight.stop);
    const auto profile = co_await request.backend.profile(here, *call.peer);
    std::string farewell;
    append_message_event(farewell, ListenLine::farewell(id, profile->self));

    EventStream stream(options.max_queued_bytes);
    // A client that reads too slowly is disconnected: when it listens again, it knows that it missed something.
    ListenLine listener(std::string(id), [&stream](const std::string& message) {
        std::string event;
        append_message_event(event, message);
        if (!stream.offer(event)) stream.release();
    });
    auto opened = co_await listener.open(here, request.backend, call.peer, *std::move(wanted));
    if (!opened) co_return co_await send_error(ctx, request, id, {.status = 200, .error = opened.error()});
    if (draining) {
        stream.push(farewell);
        stream.finish();
    }
    const OpenStream open(*this, stream, std::move(farewell));
    const http::Headers headers = stream_headers(request);
    (void)co_await stream.run(here, request.exchange, headers, options.keep_alive);
}

}  // namespace gantry::mcp
