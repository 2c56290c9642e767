#include "gateway/sources/mcp/forwarded_capabilities.hpp"

#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

ForwardedCapabilitiesPtr carry(const ClientTraits& client, bool reachable, bool offer_tasks) {
    auto forwarded = std::make_shared<ForwardedCapabilities>();
    if (reachable) {
        forwarded->asked.elicitation = client.capabilities.elicitation;
        forwarded->asked.sampling = client.capabilities.sampling;
        forwarded->asked.roots = client.capabilities.roots;
        // A client without a session cannot announce changed roots.
        if (forwarded->asked.roots && (client.modern() || client.session.empty()))
            forwarded->asked.roots->list_changed.reset();
    }
    forwarded->asked_text = mcp::encode(forwarded->asked, mcp::kLatestLegacyRevision).dump();

    mcp::ClientCapabilities modern = forwarded->asked;
    if (modern.roots) modern.roots->list_changed.reset();
    forwarded->offered_text = mcp::encode(modern, mcp::kLatestLegacyRevision).dump();
    modern.extensions = client.capabilities.extensions;
    // The extension's id in a legacy handshake enables nothing.
    const bool knows_tasks = client.modern() && modern.extensions.contains(mcp::kTasksExtension);
    forwarded->tasks = knows_tasks;
    if (!knows_tasks) modern.extensions.erase(mcp::kTasksExtension);
    if (offer_tasks && !knows_tasks) modern.extensions.set(std::string(mcp::kTasksExtension), JsonObject{});
    forwarded->modern_text = mcp::encode(modern, mcp::kLatestRevision).dump();
    return forwarded;
}

ForwardedCapabilitiesPtr ForwardedCapabilitiesMemo::of(const ClientTraits& client, bool reachable, bool offer_tasks) {
    // An unusually large set is not memoized.
    if (client.capabilities_text.size() > kLongestKept) return carry(client, reachable, offer_tasks);
    auto& kept = kept_[(reachable ? 1 : 0) + (offer_tasks ? 2 : 0)];
    // The prefix keeps eras, and clients with and without a session, apart: the same capabilities mean something else
    // for each.
    std::string key(1, client.modern() ? 'm' : client.session.empty() ? 'n' : 'l');
    key += client.capabilities_text;
    if (const auto found = kept.find(key); found != kept.end()) return found->second;
    if (kept.size() >= kMaxKept) kept.clear();
    return kept.emplace(std::move(key), carry(client, reachable, offer_tasks)).first->second;
}

}  // namespace gantry::gateway
