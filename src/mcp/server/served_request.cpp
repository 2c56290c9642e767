#include "mcp/server/served_request.hpp"

#include "mcp/server/housekeeping.hpp"

namespace gantry::mcp {

ServedRequest::ServedRequest(HttpEndpoint::Impl& endpoint, const Context& ctx, HttpRequest& request, const Call& call,
                             const Sender& sender, const PostDecision& decided)
    : endpoint_(endpoint),
      request_(request),
      call_(call),
      session_(sender.session.get()),
      era_(decided.era),
      large_(endpoint.large_bytes, large_share(call.text.size())),
      served_(endpoint.serving),
      own_(sender.client.calls),
      flight_{.id = call.id(), .stop = CancelSource(ctx.cancel())},
      listed_(session_ != nullptr ? session_->calls : endpoint.calls, flight_),
      line_({.endpoint = endpoint, .request = request, .ctx = ctx, .session = session_, .modern = decided.modern()},
            flight_),
      until_cancelled_(ctx.stopped_by(flight_.stop)) {
    if (decided.stream_at_once) line_.open();
    line_.watch();
}

// Not a coroutine: it passes on the task of the part that answers, and every call is spared a frame.
Task<Answer> ServedRequest::answer() {
    Backend& backend = request_.backend;
    switch (responder_of(call_, era_)) {
        case Responder::kDiscovery: return endpoint_.discover(until_cancelled_, call_, backend);
        case Responder::kHousekeeping: return keep_house(until_cancelled_, call_, backend, session_);
        case Responder::kBackend: break;
    }
    return backend.answer(until_cancelled_, call_, line_);
}

}  // namespace gantry::mcp
