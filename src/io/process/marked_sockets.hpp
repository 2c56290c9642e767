#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "io/fd.hpp"

namespace gantry {
class Loop;
}

namespace gantry::process {

/// What the TCP sockets of a marked child have as SO_PRIORITY. No type of service leads to it, so others have it only
/// if they ask for it by number.
inline constexpr int kMarkedPriority = 5;

/// Makes the TCP sockets of a child whose filter sends its socket() calls here, each with a mark. The child must not be
/// able to take the mark off; its filter sees to that.
class MarkedSockets {
public:
    /// `calls` is what the kernel gave for the filter (Confinement::filter). `on_made` hears each socket's cookie.
    /// Serves at once.
    MarkedSockets(Loop& loop, Fd calls, std::function<void(std::uint64_t cookie)> on_made);
    /// Calls from then on fail.
    ~MarkedSockets();
    MarkedSockets(const MarkedSockets&) = delete;
    MarkedSockets& operator=(const MarkedSockets&) = delete;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace gantry::process
