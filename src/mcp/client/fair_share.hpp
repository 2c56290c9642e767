#pragma once

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"

namespace gantry::mcp {

/// Limits how much of the loop's time one peer takes with messages that answer nothing: notifications, log messages,
/// requests of its own. A peer beyond its share is not read for a while, so that a pipe or a TCP window fills up and
/// the peer waits instead of everybody else.
///
/// Costs are estimated from the size of a message: reading a clock around each one would cost more than it tells.
class FairShare {
public:
    /// A share of 5 %: 10,000 small messages per second, after a burst of as many.
    static constexpr int kOneIn = 20;
    static constexpr Duration kBurst = seconds(1);
    static constexpr Duration kPerMessage = std::chrono::microseconds(5);
    static constexpr std::size_t kBytesPerNanosecond = 1;
    /// Shorter pauses are saved up: each one costs a timer.
    static constexpr Duration kShortestPause = milliseconds(10);

    /// Charges one message. Returns how long to stop reading; zero within the share.
    Duration charge(std::size_t bytes, TimePoint now) noexcept {
        const Duration cost = kPerMessage + std::chrono::nanoseconds(bytes / kBytesPerNanosecond);
        paid_until_ = std::max(paid_until_, now - kBurst) + cost * kOneIn;
        const Duration ahead = paid_until_ - now;
        return ahead >= kShortestPause ? ahead : Duration::zero();
    }

private:
    TimePoint paid_until_ = {};
};

}  // namespace gantry::mcp
