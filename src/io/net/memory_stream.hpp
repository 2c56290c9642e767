#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "io/stream.hpp"

namespace gantry::net {

/// Two connected streams of one loop; for tests. A write waits while more
/// than `capacity` bytes are unread. Closing one end breaks the connection of the other once it has
/// read what was sent before.
std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> make_memory_streams(std::size_t capacity = 64u << 10);

}  // namespace gantry::net
