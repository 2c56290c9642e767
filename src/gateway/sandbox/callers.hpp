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

/// Recognises connections to the gateway that isolated servers open themselves, by the mark of their sockets. On the
/// loop; docs/decisions/0017-own-callers.md says why it is done this way.
class Callers {
public:
    /// Marks the sockets of a server as long as the result is kept; `calls` is what its filter sends them by.
    std::shared_ptr<void> mark(Loop& loop, Fd calls, std::string server);

    /// Why a connection is not to be served; empty: it is not one of theirs. Costs one question to the kernel where the
    /// peer may be on this machine, and nothing while no marked server runs.
    std::string refuse(const net::TcpStream& stream);
    /// The kernel did not say whose a connection was, so none could be refused.
    bool blind() const noexcept { return blind_; }

private:
    struct Names {
        std::unordered_map<std::uint64_t, std::string> servers;  // by the cookie of a socket
        std::deque<std::uint64_t> order;
        std::size_t families = 0;
        void add(std::uint64_t cookie, const std::string& server);
    };
    std::shared_ptr<Names> names_ = std::make_shared<Names>();
    net::LocalPeers peers_;
    bool blind_ = false;
};

}  // namespace gantry::gateway::sandbox
