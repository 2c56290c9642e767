#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json/scan.hpp"
#include "gantry/error.hpp"
#include "mcp/server/peer.hpp"

namespace gantry::mcp {

/// Caches clients that describe themselves in every request, so that a description is parsed once. Bounded.
class PeerCache {
public:
    /// The cached descriptions of one identity.
    struct Client {
        struct Known {
            std::string capabilities, info;  // as spelt on the wire
            PeerPtr peer;
        };
        std::vector<Known> known = {};
        std::size_t next = 0;  // the next slot to be overwritten
        /// Requests in flight; an entry that has any is never evicted.
        std::size_t calls = 0;
    };

    Client& client(const std::shared_ptr<const Identity>& identity);

    /// The peer a request comes from. kProtocol if its self-description is invalid.
    Result<PeerPtr> find(Client& client, const std::shared_ptr<const Identity>& identity, Revision revision,
                         std::string_view capabilities, std::string_view info);
    Result<PeerPtr> find(Client& client, const std::shared_ptr<const Identity>& identity, Revision revision,
                         const json::MetaView& meta) {
        return find(client, identity, revision, meta.client_capabilities ? meta.client_capabilities.raw() : "{}",
                    meta.client_info ? meta.client_info.raw() : std::string_view());
    }

private:
    static constexpr std::size_t kMaxClients = 10'000;
    static constexpr std::size_t kMaxPerClient = 32;

    std::unordered_map<std::string, Client> clients_;
};

/// Parses a declaration; `info` may be empty.
Result<Peer> read_peer(Revision revision, std::string_view capabilities, std::string_view info);
/// The same client with another identity.
PeerPtr with_identity(const Peer& peer, std::shared_ptr<const Identity> identity);

}  // namespace gantry::mcp
