#pragma once

#include <algorithm>
#include <chrono>

namespace gantry {

/// Time that only moves forward; all deadlines and waits use it.
using SteadyClock = std::chrono::steady_clock;
using Duration = SteadyClock::duration;
using TimePoint = SteadyClock::time_point;

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The moment an operation has to be over. The default never comes.
class Deadline {
public:
    constexpr Deadline() noexcept = default;
    constexpr explicit Deadline(TimePoint at) noexcept : at_(at) {}
    static Deadline never() noexcept { return {}; }
    static Deadline after(Duration duration, TimePoint now = SteadyClock::now()) noexcept {
        return duration >= TimePoint::max() - now ? Deadline() : Deadline(now + duration);
    }

    constexpr TimePoint at() const noexcept { return at_; }
    constexpr bool is_never() const noexcept { return at_ == TimePoint::max(); }
    bool passed(TimePoint now = SteadyClock::now()) const noexcept { return now >= at_; }

    friend constexpr auto operator<=>(const Deadline&, const Deadline&) = default;

private:
    TimePoint at_ = TimePoint::max();
};

constexpr Deadline earlier(Deadline a, Deadline b) noexcept {
    return std::min(a, b);
}

}  // namespace gantry
