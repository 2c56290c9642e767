#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>

namespace gantry {

/// Monotonic time; used by all deadlines and waits.
using SteadyClock = std::chrono::steady_clock;
using Duration = SteadyClock::duration;
using TimePoint = SteadyClock::time_point;

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The same clock, a few milliseconds behind at most: much cheaper, for timeouts and expiry.
inline TimePoint coarse_now() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return TimePoint(seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}
/// Upper bound of the lag, on any kernel.
inline constexpr Duration kCoarse = milliseconds(10);

/// The time by which an operation must be done. The default is never.
class Deadline {
public:
    constexpr Deadline() noexcept = default;
    constexpr explicit Deadline(TimePoint at) noexcept : at_(at) {}
    static Deadline never() noexcept { return {}; }
    /// Never early, and at most kCoarse late.
    static Deadline after(Duration duration) noexcept { return after(duration, coarse_now() + kCoarse); }
    static Deadline after(Duration duration, TimePoint now) noexcept {
        return duration >= TimePoint::max() - now ? Deadline() : Deadline(now + duration);
    }

    constexpr TimePoint at() const noexcept { return at_; }
    constexpr bool is_never() const noexcept { return at_ == TimePoint::max(); }
    bool passed() const noexcept { return passed(coarse_now()); }
    constexpr bool passed(TimePoint now) const noexcept { return now >= at_; }

    friend constexpr auto operator<=>(const Deadline&, const Deadline&) = default;

private:
    TimePoint at_ = TimePoint::max();
};

constexpr Deadline earlier(Deadline a, Deadline b) noexcept {
    return std::min(a, b);
}

}  // namespace gantry
