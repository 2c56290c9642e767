#pragma once

#include <optional>
#include <string>

#include "mcp/client/relay_clock.hpp"
#include "mcp/client/relay_party.hpp"
#include "mcp/transport/http_lane.hpp"

namespace gantry::mcp {

/// One composed request on its way through Streamable HTTP.
struct HttpRelayJob {
    HttpLane& lane;
    Rpc& rpc;
    const RelayRequest& request;
    Revision revision;
    std::int64_t id;
    std::string text;
};

/// Sends it and reads the answer, all in the caller's task: past the connection's queue and the table of requests.
///
/// An answer beyond hold_bytes streams, be it a body or an event; any other message of that size ends the call. A
/// broken legacy stream is resumed where the server allows it and nothing of the answer has been passed on, else the
/// outcome is unknown. Giving up closes the stream and tells a legacy server. `session_gone`: the server forgot the
/// session and has not run the request.
Task<Result<void>> relay_over_http(const Context& ctx, HttpRelayJob job, RelayAnswer& out, bool& session_gone);

}  // namespace gantry::mcp
