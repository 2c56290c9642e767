#pragma once

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"

namespace gantry::mcp {

/// Limits the loop time one peer may use for messages that answer nothing: notifications, log messages, its own
/// requests. A peer over its share is not read for a while, so that back-pressure from the pipe or TCP window slows
/// that peer and not the others.
///
/// Two limits apply, whichever is stricter: the cost estimated from message sizes may use a twentieth of the loop's
/// time, the time actually spent a quarter. An update for a thousand subscribers costs far more than its bytes, but the
/// number of subscribers is not the peer's fault.
class FairShare {
public:
    /// By size: at most 10,000 small messages per second, after a burst of the same number.
    static constexpr int kOneInBySize = 20;
    static constexpr int kOneInByTime = 4;
    static constexpr Duration kBurst = seconds(1);
    static constexpr Duration kPerMessage = std::chrono::microseconds(5);
    static constexpr std::size_t kBytesPerNanosecond = 1;
    /// Shorter pauses are accumulated, because each one costs a timer.
    static constexpr Duration kShortestPause = milliseconds(10);

    /// Upper bound of the time charged per message. On a busy machine the clock also counts time in which another
    /// process had the CPU.
    static constexpr Duration kMostSpent = milliseconds(5);

    /// Charges one message that took `spent` of loop time, zero if unknown. Returns for how long to stop reading; zero
    /// if within the share.
    Duration charge(std::size_t bytes, Duration spent, TimePoint now) noexcept {
        const Duration expected = kPerMessage + std::chrono::nanoseconds(bytes / kBytesPerNanosecond);
        const Duration cost = std::max(expected * kOneInBySize, std::min(spent, kMostSpent) * kOneInByTime);
        paid_until_ = std::max(paid_until_, now - kBurst) + cost;
        const Duration ahead = paid_until_ - now;
        return ahead >= kShortestPause ? ahead : Duration::zero();
    }

private:
    TimePoint paid_until_ = {};
};

}  // namespace gantry::mcp
