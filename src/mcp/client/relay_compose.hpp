#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/mcp/lifecycle.hpp"
#include "mcp/client/relay.hpp"

namespace gantry::mcp {

/// What `_meta` of every modern request of one session says for the same capabilities: the value of protocolVersion
/// and, behind it, the other members, ready to be put behind that key. `capabilities` is JSON text.
std::string make_stamp(Revision revision, std::string_view capabilities, const Implementation& self);

/// The request as this hop says it: `{"jsonrpc":"2.0","id":…,"method":…,"params":…}`.
///
/// Taken out of `_meta`: what the other hop said about itself. Put in: what this one says (`stamp`, empty toward a
/// legacy server), the log level, and the id as progress token when progress is wanted. A legacy server gets neither
/// inputResponses nor requestState, a modern one no related-task. All other bytes of the params stay as they are,
/// line breaks between tokens included.
Result<std::string> compose_relay(const RelayRequest& request, std::int64_t id, std::string_view stamp);

/// What Mcp-Name has to say about the composed request; empty: nothing.
std::string relayed_name(const RelayRequest& request, Revision revision);

}  // namespace gantry::mcp
