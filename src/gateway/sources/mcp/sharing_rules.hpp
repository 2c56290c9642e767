#pragma once

#include "gateway/model/call.hpp"
#include "gateway/model/source_spec.hpp"
#include "gateway/sources/mcp/forwarded_capabilities.hpp"
#include "gateway/sources/mcp/lanes.hpp"

// Which connection serves which caller: the rules, as pure functions of the configuration, of what is known of the
// server, and of the client. See the README for the reasons.

namespace gantry::gateway {

/// What is known of a server.
struct ServerTraits {
    bool modern = false;
    /// Modern, and known to open no legacy sessions, or none in which it could ask questions.
    bool modern_only = false;
};

/// Whether the server may ask this client questions, over a connection that declares the client's capabilities.
inline bool may_ask(const McpServerSpec& spec, const ServerTraits& server, const ClientTraits& client,
                    const ForwardedCapabilities& forwarded) noexcept {
    if (!forwarded.can_be_asked()) return false;
    // A server of both eras asks its legacy clients questions that it does not ask modern ones.
    return !server.modern || (!client.modern() && spec.era == EraWish::kAuto && !server.modern_only);
}

/// Whether the shared connection serves it. `asked`: see may_ask().
inline bool may_share(const McpServerSpec& spec, const ServerTraits& server, bool asked) noexcept {
    if (spec.sharing != Sharing::kAuto) return spec.sharing == Sharing::kShared;
    const bool child = spec.url.empty();
    return !asked && (server.modern || child);
}

/// How calls share a lane otherwise. `attributes_requests`: see Upstream.
inline LaneUse lane_use(const McpServerSpec& spec, bool asked, bool attributes_requests) noexcept {
    if (spec.sharing == Sharing::kPerCall) return LaneUse::kOnce;
    return asked && !attributes_requests ? LaneUse::kInTurn : LaneUse::kTogether;
}

/// Whose lane it is.
LaneKey lane_key(const McpServerSpec& spec, const Principal& principal, const ClientTraits& client,
                 const ForwardedCapabilities& forwarded, bool asked);

}  // namespace gantry::gateway
