#include "mcp/server/peers.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {
namespace {

/// Sorts members by name, so that different spellings of one set compare equal.
Json canonical(const Json& value) {
    if (const JsonArray* list = value.if_array()) {
        JsonArray out;
        for (const Json& item : *list) out.push_back(canonical(item));
        return out;
    }
    const JsonObject* object = value.if_object();
    if (object == nullptr) return value;
    std::vector<const JsonObject::Member*> members;
    for (const auto& member : *object) members.push_back(&member);
    std::ranges::sort(members, {}, [](const auto* member) -> const std::string& { return member->first; });
    JsonObject out;
    for (const auto* member : members) out.set(member->first, canonical(member->second));
    return out;
}

}  // namespace

Result<Peer> read_peer(Revision revision, std::string_view capabilities, std::string_view info) {
    Peer peer;
    peer.revision = revision;
    GANTRY_TRY(const Json declared, Json::parse(capabilities, {.max_depth = 1024}));
    // A legacy client may declare a capability that came after the revision it speaks, as SDKs do over HTTP+SSE.
    auto read = decode<ClientCapabilities>(declared, is_modern(revision) ? revision : kLatestLegacyRevision);
    if (!read) return fail(read.error().within(meta_key::kClientCapabilities));
    peer.capabilities = *std::move(read);
    peer.capabilities_text = canonical(declared).dump();
    if (!info.empty()) {
        GANTRY_TRY(const Json said, Json::parse(info, {.max_depth = 1024}));
        auto who = decode<Implementation>(said, revision);
        if (!who) return fail(who.error().within(meta_key::kClientInfo));
        peer.info = *std::move(who);
    }
    return peer;
}

PeerPtr with_identity(const Peer& peer, std::shared_ptr<const Identity> identity) {
    auto copy = std::make_shared<Peer>(peer);
    copy->identity = std::move(identity);
    copy->companion = {};  // derived from the other identity
    return copy;
}

PeerCache::Client& PeerCache::client(const std::shared_ptr<const Identity>& identity) {
    const auto found = clients_.find(identity->key());
    if (found != clients_.end()) return found->second;
    if (clients_.size() >= kMaxClients) {
        std::erase_if(clients_, [](const auto& entry) { return entry.second.calls == 0; });
    }
    return clients_[identity->key()];
}

Result<PeerPtr> PeerCache::find(Client& client, const std::shared_ptr<const Identity>& identity, Revision revision,
                                std::string_view capabilities, std::string_view info) {
    for (Client::Known& known : client.known) {
        if (known.peer->revision != revision || known.capabilities != capabilities || known.info != info) continue;
        if (known.peer->identity != identity) known.peer = with_identity(*known.peer, identity);
        return known.peer;
    }
    GANTRY_TRY(Peer read, read_peer(revision, capabilities, info));
    read.identity = identity;
    Client::Known fresh{std::string(capabilities), std::string(info), std::make_shared<const Peer>(std::move(read))};
    PeerPtr peer = fresh.peer;
    if (client.known.size() < kMaxPerClient) {
        client.known.push_back(std::move(fresh));
    } else {
        client.known[client.next++ % kMaxPerClient] = std::move(fresh);
    }
    return peer;
}

}  // namespace gantry::mcp
