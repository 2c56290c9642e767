#pragma once

#include <optional>
#include <string>

#include "mcp/client/relay_clock.hpp"
#include "mcp/client/relay_party.hpp"
#include "mcp/transport/raw_http_exchange.hpp"

namespace gantry::mcp {

/// One composed request to be sent over Streamable HTTP.
struct HttpRelayJob {
    RawHttpExchange& lane;
    Rpc& rpc;
    const RelayRequest& request;
    Revision revision;
    std::int64_t id;
    std::string text;
};

/// Sends it and reads the answer in the caller's task, bypassing the connection's queue and the table of requests.
///
/// An answer beyond hold_bytes is streamed, be it a body or an event; any other message of that size fails the call. A
/// broken legacy stream is resumed if the server allows it and nothing of the answer has been passed on; otherwise the
/// outcome is unknown. Abandoning closes the stream and notifies a legacy server. `session_gone`: the server forgot the
/// session and has not run the request.
Task<Result<void>> relay_over_http(const Context& ctx, HttpRelayJob job, RelayAnswer& out, bool& session_gone);

}  // namespace gantry::mcp
