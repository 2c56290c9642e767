#pragma once

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"

namespace gantry::mcp {

/// Limits how much of the loop's time one peer takes with messages that answer nothing: notifications, log messages,
/// requests of its own. A peer beyond its share is not read for a while, so that a pipe or a TCP window fills up and
/// the peer waits instead of everybody else.
///
/// Two limits hold, whichever is stricter: what a message costs by its size stays within a twentieth of the loop's
/// time, and the time that was really spent within a quarter. An update that goes to a thousand subscribers costs far
/// more than its bytes, but that they are a thousand is not the peer's doing.
class FairShare {
public:
    /// By size: at most 10,000 small messages per second, after a burst of as many.
    static constexpr int kOneInBySize = 20;
    static constexpr int kOneInByTime = 4;
    static constexpr Duration kBurst = seconds(1);
    static constexpr Duration kPerMessage = std::chrono::microseconds(5);
    static constexpr std::size_t kBytesPerNanosecond = 1;
    /// Shorter pauses are saved up: each one costs a timer.
    static constexpr Duration kShortestPause = milliseconds(10);

    /// The most that is charged for time spent. On a busy machine the clock also counts the moments in which another
    /// process had the processor.
    static constexpr Duration kMostSpent = milliseconds(5);

    /// Charges one message that took `spent` of the loop's time, zero if that is not known. Returns how long to stop
    /// reading; zero within the share.
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
