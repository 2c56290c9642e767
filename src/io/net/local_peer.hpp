#pragma once

#include <cstdint>
#include <optional>

#include "io/fd.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {

/// The other end of a connection, where that is a socket of this machine.
struct LocalPeer {
    std::uint64_t cookie = 0;    // its number, which no other socket gets
    std::uint32_t priority = 0;  // as SO_PRIORITY set it
    bool held = false;           // by a process; false: it was closed already
};

/// Asks the kernel about the sockets at the other ends of connections, one netlink request each.
class LocalPeers {
public:
    LocalPeers();

    /// Empty: the peer is on another machine or in another network namespace, or its socket is gone altogether.
    std::optional<LocalPeer> find(const TcpStream& stream);
    /// Whether the kernel knows our own end; false: it lacks inet_diag and finds nothing.
    bool answers(const TcpStream& stream);

private:
    Fd netlink_;
};

/// Whether both ends have the same address or a loopback one, or the peer reset the connection before it had an
/// address.
bool is_on_this_machine(const TcpStream& stream);

}  // namespace gantry::net
