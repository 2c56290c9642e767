#pragma once

#include <cstdint>
#include <optional>

#include "io/fd.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {

/// The socket at the other end of a connection, if it is on this machine.
struct LocalPeer {
    std::uint64_t cookie = 0;    // unique number of the socket
    std::uint32_t priority = 0;  // as SO_PRIORITY set it
    bool held = false;           // open in a process; false: already closed
};

/// Queries the kernel for the sockets at the other ends of connections, with one netlink request each.
class LocalPeers {
public:
    LocalPeers();

    /// Empty: the peer is on another machine or in another network namespace, or its socket no longer exists.
    std::optional<LocalPeer> find(const TcpStream& stream);
    /// Whether the kernel finds our own end; false: it lacks inet_diag and finds nothing.
    bool answers(const TcpStream& stream);

private:
    Fd netlink_;
};

/// Whether both ends have the same address or a loopback one, or the peer reset the connection before its address was
/// known.
bool is_on_this_machine(const TcpStream& stream);

}  // namespace gantry::net
