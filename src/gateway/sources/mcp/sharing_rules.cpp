#include "gateway/sources/mcp/sharing_rules.hpp"

namespace gantry::gateway {

LaneKey lane_key(const McpServerSpec& spec, const Principal& principal, const ClientTraits& client,
                 const ForwardedCapabilities& forwarded, bool asked) {
    LaneKey key{.owner = "principal " + principal.id};
    if (asked) {
        key.capabilities = forwarded.asked_text;
        key.offered = forwarded.offered_text;
    }
    // A server remembers the roots it received, and every client has its own.
    const bool alone = spec.sharing == Sharing::kPerClient || (asked && forwarded.asked.roots);
    if (alone && !client.session.empty()) {
        key.owner = std::string(kClientOwner) + client.session;
        // A session id alone does not prove who is using it.
        key.capabilities = principal.id + '\n' + key.capabilities;
    }
    return key;
}

}  // namespace gantry::gateway
