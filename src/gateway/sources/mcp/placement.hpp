#pragma once

#include <memory>

#include "gateway/sources/mcp/audience_lists.hpp"
#include "gateway/sources/mcp/connection_sharing.hpp"
#include "gateway/sources/mcp/lanes.hpp"

namespace gantry::gateway {

/// Where a call runs, and whether the server may ask the client on that connection.
struct Placement {
    Lease lease;
    bool may_ask = false;
};

/// Assigns a connection to each call: the shared one, or a lane.
class Placer {
public:
    /// All references must outlive it.
    Placer(const SharedConnection& connection, ConnectionSharing& sharing, AudienceLists& audiences,
           std::shared_ptr<Lanes> lanes)
        : connection_(connection), sharing_(sharing), audiences_(audiences), lanes_(std::move(lanes)) {}

    /// Returns a placement without a lease where a lane has to be awaited.
    Placement now(const AdmittedCall& call, const ForwardedCapabilities& forwarded);
    Task<Result<Placement>> wait(const Context& ctx, const AdmittedCall& call, const ForwardedCapabilities& forwarded);

private:
    bool asks(const AdmittedCall& call, const ForwardedCapabilities& forwarded) const noexcept;

    const SharedConnection& connection_;
    ConnectionSharing& sharing_;
    AudienceLists& audiences_;
    std::shared_ptr<Lanes> lanes_;
};

}  // namespace gantry::gateway
