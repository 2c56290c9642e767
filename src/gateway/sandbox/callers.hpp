#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "io/net/local_peer.hpp"

namespace gantry {
class Loop;
}

namespace gantry::gateway::sandbox {

/// Recognises connections to the gateway that isolated servers open themselves, by the mark on their sockets. Used on
/// the loop; docs/decisions/0017-own-callers.md gives the reasons for this design.
class Callers {
public:
    /// Marks the sockets of a server for as long as the result is kept; `calls` receives the socket() calls that its
    /// filter sends.
    std::shared_ptr<void> mark(Loop& loop, Fd calls, std::string server);

    /// Why a connection must not be served; empty: it does not come from an isolated server. Costs one kernel query if
    /// the peer may be on this machine, and nothing while no marked server runs.
    std::string refuse(const net::TcpStream& stream);
    /// Whether the kernel cannot tell whose a connection is, so that none can be refused.
    bool blind() const noexcept { return blind_; }

private:
    struct Names {
        std::unordered_map<std::uint64_t, std::string> servers;  // by socket cookie
        std::deque<std::uint64_t> order;
        std::size_t families = 0;
        void add(std::uint64_t cookie, const std::string& server);
    };
    std::shared_ptr<Names> names_ = std::make_shared<Names>();
    net::LocalPeers peers_;
    bool blind_ = false;
};

}  // namespace gantry::gateway::sandbox
