#pragma once

#include <algorithm>

#include "base/checked_cast.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/principal.hpp"
#include "gateway/ports/source.hpp"
#include "mcp/server/peer.hpp"

namespace gantry::surface {

/// The identity this surface gives to endpoints: the principal the pipeline identified.
class PrincipalIdentity final : public mcp::Identity {
public:
    explicit PrincipalIdentity(std::shared_ptr<const gateway::Principal> principal)
        : Identity(principal->id), principal_(std::move(principal)) {}
    const std::shared_ptr<const gateway::Principal>& principal() const noexcept { return principal_; }

private:
    std::shared_ptr<const gateway::Principal> principal_;
};

inline const std::shared_ptr<const gateway::Principal>& principal_of(const mcp::Peer& peer) {
    return checked_cast<PrincipalIdentity>(*peer.identity).principal();
}

/// The client as sources see it; created once per peer and stored beside it.
struct ClientCompanion final : mcp::PeerCompanion {
    explicit ClientCompanion(const mcp::Peer& peer)
        : traits{.revision = peer.revision,
                 .capabilities = peer.capabilities,
                 .capabilities_text = peer.capabilities_text,
                 .session = peer.session,
                 .name = peer.info ? peer.info->name : std::string()} {}
    const gateway::ClientTraits traits;
};

inline const gateway::ClientTraits& traits_of(const mcp::Peer& peer) {
    if (!peer.companion) peer.companion = std::make_shared<const ClientCompanion>(peer);
    return checked_cast<ClientCompanion>(*peer.companion).traits;
}

/// The revision whose terms the client understands: the one it speaks or, for a legacy client that declares
/// elicitation, at least 2025-06-18, which introduced that together with structured results.
inline mcp::Revision terms_of(const mcp::Peer& peer) noexcept {
    if (peer.modern() || !peer.capabilities.elicitation) return peer.revision;
    return std::max(peer.revision, mcp::Revision::k2025_06_18);
}

/// `reachable`: the client can be asked while it waits for an answer.
inline gateway::Audience audience_of(const mcp::Peer& peer, bool reachable) {
    return {.principal = *principal_of(peer), .client = traits_of(peer), .reachable = reachable};
}

}  // namespace gantry::surface
