#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "io/fd.hpp"

namespace gantry {
class Loop;
}

namespace gantry::process {

/// The SO_PRIORITY of the TCP sockets of a marked child. No type of service maps to it, so other sockets have it only
/// if they request it by number.
inline constexpr int kMarkedPriority = 5;

/// Creates the TCP sockets for a child whose filter forwards its socket() calls here, each with a mark. The child must
/// not be able to remove the mark; its filter ensures that.
class MarkedSockets {
public:
    /// `calls` is the filter's notification descriptor (Confinement::filter). `on_made` is called with each socket's
    /// cookie. Starts serving immediately.
    MarkedSockets(Loop& loop, Fd calls, std::function<void(std::uint64_t cookie)> on_made);
    /// Later calls fail.
    ~MarkedSockets();
    MarkedSockets(const MarkedSockets&) = delete;
    MarkedSockets& operator=(const MarkedSockets&) = delete;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace gantry::process
