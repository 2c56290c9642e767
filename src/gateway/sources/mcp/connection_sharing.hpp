#pragma once

#include <optional>

#include "gateway/sources/mcp/shared_connection.hpp"
#include "gateway/sources/mcp/sharing_rules.hpp"
#include "gateway/sources/mcp/source_lists.hpp"
#include "gateway/sources/mcp/upstream.hpp"

namespace gantry::gateway {

/// Applies the sharing rules to what is known of this server now.
class ConnectionSharing {
public:
    /// All references must outlive it.
    ConnectionSharing(const McpServerSpec& spec, const Upstream& upstream, const SharedConnection& connection,
                      const SourceLists& lists, const SourceStatus& status)
        : spec_(spec), upstream_(upstream), connection_(connection), lists_(lists), status_(status) {}

    /// `reachable`: questions can reach the client. `offer_tasks`: see carry().
    ForwardedCapabilitiesPtr forwarded(const ClientTraits& client, bool reachable, bool offer_tasks) {
        return memo_.of(client, reachable, offer_tasks);
    }

    /// While the server was never connected in this run, as it was in an earlier one.
    bool is_modern() const noexcept {
        return connection_.link() ? connection_.link()->modern() : lists_.inventory()->modern;
    }
    ServerTraits server() const noexcept { return {.modern = is_modern(), .modern_only = modern_only_}; }

    bool may_ask(const ClientTraits& client, const ForwardedCapabilities& forwarded) const noexcept {
        // Checked first because it is cheap, and false for most clients.
        return forwarded.can_be_asked() && gateway::may_ask(spec_, server(), client, forwarded);
    }
    bool may_share(bool asked) const noexcept { return gateway::may_share(spec_, server(), asked); }
    LaneUse lane_use(bool asked) const noexcept {
        return gateway::lane_use(spec_, asked, upstream_.attributes_requests());
    }
    LaneKey lane_key(const Principal& principal, const ClientTraits& client, const ForwardedCapabilities& forwarded,
                     bool asked) const {
        return gateway::lane_key(spec_, principal, client, forwarded, asked);
    }

    /// The lanes that serve an audience.
    struct AudienceLane {
        LaneKey key;
        ForwardedCapabilitiesPtr forwarded;  // null: a lane that declares nothing
    };
    /// Empty: the shared connection serves it, or nothing can be said yet.
    std::optional<AudienceLane> lane_of(const Audience& audience);

    /// An attempt at a legacy connection showed that the server opens none, or none with questions.
    void learn_modern_only() noexcept { modern_only_ = true; }
    /// A restarted server may be another version.
    void on_connected() noexcept { modern_only_ = false; }
    /// Rejects a lane whose server could not tell who answers its questions.
    Result<void> check_lane(Link& link) const;

private:
    const McpServerSpec& spec_;
    const Upstream& upstream_;
    const SharedConnection& connection_;
    const SourceLists& lists_;
    const SourceStatus& status_;
    ForwardedCapabilitiesMemo memo_;
    bool modern_only_ = false;
};

}  // namespace gantry::gateway
