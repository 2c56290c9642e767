#pragma once

#include <cstdint>
#include <set>

namespace gantry::process {

/// Inodes of the sockets that one process has open; empty if this user may not see them.
std::set<std::uint64_t> sockets_of(int pid);

/// The same for `child` and every other process below its parent, the reaper.
std::set<std::uint64_t> sockets_of_tree(int child);

}  // namespace gantry::process
