#include "gateway/sources/mcp/carried.hpp"

#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

CarriedPtr carry(const ClientTraits& client, bool reachable, bool offer_tasks) {
    auto carried = std::make_shared<Carried>();
    if (reachable) {
        carried->asked.elicitation = client.capabilities.elicitation;
        carried->asked.sampling = client.capabilities.sampling;
        carried->asked.roots = client.capabilities.roots;
        // A client without a session cannot announce changed roots.
        if (carried->asked.roots && (client.modern() || client.session.empty()))
            carried->asked.roots->list_changed.reset();
    }
    carried->asked_text = mcp::encode(carried->asked, mcp::kLatestLegacyRevision).dump();

    mcp::ClientCapabilities modern = carried->asked;
    if (modern.roots) modern.roots->list_changed.reset();
    carried->offered_text = mcp::encode(modern, mcp::kLatestLegacyRevision).dump();
    modern.extensions = client.capabilities.extensions;
    // The extension's id in a legacy handshake enables nothing.
    const bool knows_tasks = client.modern() && modern.extensions.contains(mcp::kTasksExtension);
    carried->tasks = knows_tasks;
    if (!knows_tasks) modern.extensions.erase(mcp::kTasksExtension);
    if (offer_tasks && !knows_tasks) modern.extensions.set(std::string(mcp::kTasksExtension), JsonObject{});
    carried->modern_text = mcp::encode(modern, mcp::kLatestRevision).dump();
    return carried;
}

CarriedPtr CarriedMemo::of(const ClientTraits& client, bool reachable, bool offer_tasks) {
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
