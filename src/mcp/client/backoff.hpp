#pragma once

#include <algorithm>

#include "base/clock.hpp"

namespace gantry::mcp {

/// Growing pauses between attempts to reconnect. A connection counts as recovered only after it has stood for a
/// while, so that a server that accepts and dies again at once is not hammered.
class Backoff {
public:
    static constexpr Duration kRecovered = seconds(10);

    Backoff(Duration first, Duration longest) noexcept : first_(first), longest_(longest), next_(first) {}

    /// The pause before the next attempt.
    Duration next() noexcept {
        const Duration pause = std::min(next_, longest_);
        next_ = std::min(pause * 2, longest_);
        return pause;
    }
    /// A connection ended after that time.
    void stood_for(Duration lived) noexcept {
        if (lived >= kRecovered) next_ = first_;
    }

private:
    Duration first_;
    Duration longest_;
    Duration next_;
};

}  // namespace gantry::mcp
