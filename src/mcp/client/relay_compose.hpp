#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/mcp/lifecycle.hpp"
#include "mcp/client/relay.hpp"

namespace gantry::mcp {

/// The part of `_meta` that all modern requests of one session with equal capabilities share: the value of
/// protocolVersion followed by the other members, to be inserted behind that key. `capabilities` is JSON text.
std::string make_stamp(Revision revision, std::string_view capabilities, const Implementation& self);

/// The request as sent on this hop: `{"jsonrpc":"2.0","id":…,"method":…,"params":…}`.
///
/// Removed from `_meta`: what describes the other hop. Added: what describes this one (`stamp`, empty for a legacy
/// server), the log level, the id as progress token if progress is wanted, and the correlation id. A legacy server gets
/// neither inputResponses nor requestState, a modern one no related-task. All other bytes of the params are unchanged,
/// including line breaks between tokens.
Result<std::string> compose_relay(const RelayRequest& request, std::int64_t id, std::string_view stamp);

/// The Mcp-Name value of the composed request; empty: none.
std::string relayed_name(const RelayRequest& request, Revision revision);

}  // namespace gantry::mcp
