#pragma once

#include "base/counted.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/in_flight.hpp"
#include "mcp/server/post_decision.hpp"
#include "mcp/server/post_line.hpp"

namespace gantry::mcp {

/// A request of a POST while it is served: counted against its client's limits, listed so that it can be cancelled, and
/// with its reply line open. Lives in the frame of the serving task, so that the hot path needs one frame only.
class ServedRequest {
public:
    ServedRequest(HttpEndpoint::Impl& endpoint, const Context& ctx, HttpRequest& request, const Call& call,
                  const Sender& sender, const PostDecision& decided);

    /// Waits for the answer of whichever part is responsible. Once.
    Task<Answer> answer();
    /// The client cancelled the request: it gets no answer.
    bool cancelled() const noexcept { return flight_.cancelled; }
    PostLine& line() noexcept { return line_; }

private:
    HttpEndpoint::Impl& endpoint_;
    HttpRequest& request_;
    const Call& call_;
    HttpSession* const session_;
    const Era era_;
    const Counted large_;
    const Counted served_;
    const Counted own_;
    InFlight flight_;
    const Listed listed_;
    PostLine line_;
    const Context until_cancelled_;
};

}  // namespace gantry::mcp
