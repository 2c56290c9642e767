#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gantry/error.hpp"

namespace gantry::net {

/// A listening TCP socket of this machine.
struct LocalListener {
    std::string address;  // numeric: "127.0.0.1", "0.0.0.0", "::"
    std::uint16_t port = 0;
    std::uint64_t inode = 0;  // as in /proc/PID/fd

    /// "[::1]:80".
    std::string text() const;
    /// The loopback addresses on which connections may reach it, IPv4 first; empty: none. Both for "::", which usually,
    /// but not always, takes IPv4 as well.
    std::vector<std::string> reached_at() const;
};

/// The listening sockets in the network namespace of a process. kUnsupported if the kernel does not list them.
Result<std::vector<LocalListener>> listeners_seen_by(int pid);

/// A port on which nothing of this machine listens, of neither family. Another program may take it at any time.
Result<std::uint16_t> find_free_port();

}  // namespace gantry::net
