// GET: a legacy client's stream of unsolicited messages, and resumption of broken streams.
#include "mcp/protocol/errors.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/media_type.hpp"
#include "mcp/server/post_line.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {
namespace {

/// Reports everything that may have changed unobserved as changed.
void tell_all_changed(HttpSession& session, const Interest& interest) {
    using Kind = Change::Kind;
    if (interest.tools) session.tell(wire::change({.kind = Kind::kTools}, {}));
    if (interest.prompts) session.tell(wire::change({.kind = Kind::kPrompts}, {}));
    if (interest.resources) session.tell(wire::change({.kind = Kind::kResources}, {}));
}

}  // namespace

Task<void> HttpEndpoint::Impl::get(const Context& ctx, HttpRequest& request) {
    auto who = co_await request.backend.identify(
        ctx, {.headers = &request.exchange.headers(), .peer_address = request.exchange.peer_address()});
    if (!who) co_return co_await send_refusal(ctx, request, std::move(who).error());
    const auto refuse = [&](int status, std::string why) {
        return send_error(ctx, request, {}, {.status = status, .error = invalid_request(std::move(why))});
    };
    if (!accepts(request.head.accept.value, "text/event-stream"))
        co_return co_await refuse(406, "GET opens an event stream");
    auto session = session_of(request, *who);
    if (!session) co_return co_await send_error(ctx, request, {}, session.error());
    if (streams.size() >= options.max_streams) co_return co_await refuse(503, "too many streams are open");
    const auto from = request.head.last_event ? EventId::parse(request.head.last_event.value) : std::nullopt;
    const bool ours = from && from->epoch == names.epoch;
    if (ours && from->stream != (*session)->get_stream()) {
        co_return co_await resume_post(ctx, request, *std::move(session), *from);
    }
    co_await run_get(ctx, request, *std::move(session), ours ? std::optional(from->place) : std::nullopt);
}

Task<void> HttpEndpoint::Impl::run_get(const Context& ctx, HttpRequest& request, std::shared_ptr<HttpSession> session,
                                       std::optional<std::uint64_t> after) {
    EventStream stream(options.max_queued_bytes);
    const OpenStream open(*this, stream, {});
    session->open_get(stream, after);
    // Send the head before the backend is asked anything: clients wait for it.
    Scope scope(ctx);
    scope.spawn(watch_for(scope.context(), session));
    const http::Headers headers = stream_headers(request);
    (void)co_await stream.run(ctx, request.exchange, headers, options.keep_alive);
    session->close_get(stream);
    scope.cancel();
    co_await scope.join();
    if (!session->has_stream()) session->unwatch();
    session->used = SteadyClock::now();
}

Task<void> HttpEndpoint::Impl::watch_for(Context ctx, std::shared_ptr<HttpSession> session) {
    if (!co_await session->watch(ctx)) co_return;
    if (!std::exchange(session->resumed, false)) co_return;
    const auto profile = co_await session->backend.profile(ctx, *session->peer);
    tell_all_changed(*session, interest_in(*profile));
}

Task<void> HttpEndpoint::Impl::resume_post(const Context& ctx, HttpRequest& request,
                                           std::shared_ptr<HttpSession> session, EventId from) {
    const auto on_stream = [&](const InFlight& call) {
        return call.line != nullptr && call.line->number() == from.stream;
    };
    const auto stream = std::make_shared<EventStream>(options.max_queued_bytes);
    const OpenStream open(*this, *stream, {});
    stream->push(session->replay(from.stream, from.place));
    if (InFlight* call = session->calls.find_if(on_stream)) {
        call->line->attach(stream);
    } else {
        stream->finish();  // it had ended before
    }
    const http::Headers headers = stream_headers(request);
    (void)co_await stream->run(ctx, request.exchange, headers, options.keep_alive);
    if (InFlight* call = session->calls.find_if(on_stream)) call->line->detach(*stream);
}

}  // namespace gantry::mcp
