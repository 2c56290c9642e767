#pragma once

#include <string_view>

#include "mcp/server/call.hpp"
#include "mcp/server/session.hpp"

// What an endpoint does for a legacy session itself, whatever carries it.

namespace gantry::mcp {

/// ping, logging/setLevel, resources/subscribe and unsubscribe, and whatever is no request of the session's revision.
bool is_housekeeping(const Call& call) noexcept;

/// Answers one of those. `session` is null in stateless mode, where nothing can be remembered or told.
Task<Answer> keep_house(const Context& ctx, const Call& call, Backend& backend, LegacySession* session);

/// Takes a notification: `cancelled` ends a call, `initialized` means nothing here, the rest is for the backend.
void take_notification(const json::EnvelopeView& view, std::string_view method, Backend& backend, const Peer& peer,
                       CallList* calls);

}  // namespace gantry::mcp
