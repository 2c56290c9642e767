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

/// Clients that describe themselves in every request, so that the same words are read once. Bounded.
class PeerCache {
public:
    /// Everything known of one identity.
    struct Client {
        struct Known {
            std::string capabilities, info;  // as they were spelt
            PeerPtr peer;
        };
        std::vector<Known> known = {};
        std::size_t next = 0;  // whose place is taken once there are many
        /// Requests being served now; an entry with any is never dropped.
        std::size_t calls = 0;
    };

    Client& client(const std::shared_ptr<const Identity>& identity);

    /// The peer a request speaks for. kProtocol when what it says of itself cannot be read.
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

/// Reads a declaration; `info` may be empty.
Result<Peer> read_peer(Revision revision, std::string_view capabilities, std::string_view info);
/// The same client with another proof of who it is.
PeerPtr with_identity(const Peer& peer, std::shared_ptr<const Identity> identity);

}  // namespace gantry::mcp
