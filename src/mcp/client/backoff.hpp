#pragma once

#include <algorithm>

#include "base/clock.hpp"

namespace gantry::mcp {

/// Exponential back-off for reconnects. It resets only after a connection has lived for a while, so that a server that
/// accepts connections and dies at once is not hammered.
class Backoff {
public:
    static constexpr Duration kRecovered = seconds(10);

    Backoff(Duration first, Duration longest) noexcept : first_(first), longest_(longest), next_(first) {}

    /// The delay before the next attempt.
    Duration next() noexcept {
        const Duration pause = std::min(next_, longest_);
        next_ = std::min(pause * 2, longest_);
        return pause;
    }
    /// Reports that a connection ended after living for that time.
    void stood_for(Duration lived) noexcept {
        if (lived >= kRecovered) next_ = first_;
    }

private:
    Duration first_;
    Duration longest_;
    Duration next_;
};

}  // namespace gantry::mcp
