#include "gateway/sources/mcp/connection_sharing.hpp"

#include "mcp/client/rpc.hpp"
#include "mcp/transport/raw_http_exchange.hpp"

namespace gantry::gateway {

std::optional<ConnectionSharing::AudienceLane> ConnectionSharing::lane_of(const Audience& audience) {
    // Not connected yet in this run: only the lists of an earlier run can be offered.
    if (status_.stopping() || (!connection_.link() && status_.state() != SourceState::kAsleep)) return std::nullopt;
    auto forwarded = memo_.of(audience.client, audience.client.modern() || audience.reachable, false);
    const bool asked = may_ask(audience.client, *forwarded);
    if (may_share(asked)) return std::nullopt;
    LaneKey key = lane_key(audience.principal, audience.client, *forwarded, asked);
    return AudienceLane{.key = std::move(key), .forwarded = asked ? std::move(forwarded) : nullptr};
}

Result<void> ConnectionSharing::check_lane(Link& link) const {
    if (!is_modern() || link.modern() || !upstream_.attributes_requests()) return {};
    const auto session = link.client().session();
    const mcp::RawHttpExchange* lane = session ? session->rpc().lane() : nullptr;
    if (lane == nullptr || lane->has_session()) return {};
    return fail(ErrorCode::kUnsupported, "its legacy sessions have no id, so it could not tell who answers it");
}

}  // namespace gantry::gateway
