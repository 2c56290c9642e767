#pragma once

#include <string_view>

#include "mcp/server/call.hpp"
#include "mcp/server/session.hpp"

// Requests of a legacy session that the endpoint answers itself, on any transport.

namespace gantry::mcp {

/// ping, logging/setLevel, resources/subscribe and unsubscribe, and methods that are no request of the session's
/// revision.
bool is_housekeeping(const Call& call) noexcept;

/// Answers such a request. `session` is null in stateless mode, which has no state and no notifications.
Task<Answer> keep_house(const Context& ctx, const Call& call, Backend& backend, LegacySession* session);

/// Handles a notification: `cancelled` ends a call, `initialized` is ignored, everything else goes to the backend.
void take_notification(const json::EnvelopeView& view, std::string_view method, Backend& backend, const Peer& peer,
                       CallList* calls);

}  // namespace gantry::mcp
