#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io/loop.hpp"

namespace gantry {

/// The alarms of one loop in a hashed timer wheel, keyed by the tick (a step of kSweep of the steady clock) at which
/// they are due. Arming and disarming are list operations; a sweep visits only the slots that are due, so ten
/// thousand idle connections cost nothing per sweep.
class AlarmWheel {
public:
    using Alarm = Loop::Alarm;
    using Tick = std::int64_t;

    AlarmWheel();
    /// Disarms the remaining alarms.
    ~AlarmWheel();
    AlarmWheel(const AlarmWheel&) = delete;
    AlarmWheel& operator=(const AlarmWheel&) = delete;

    /// The first tick at which `deadline` has passed.
    static Tick tick_of(Deadline deadline) noexcept;
    static Tick tick_of(TimePoint now) noexcept { return now.time_since_epoch() / Loop::kSweep; }
    static TimePoint time_of(Tick tick) noexcept { return TimePoint(tick * Loop::kSweep); }

    /// Precondition: `alarm` is not armed. Due ticks in the past are moved to the next one.
    void insert(Alarm& alarm, Tick due, void (*fire)(void*), void* self) noexcept;
    void remove(Alarm& alarm) noexcept;
    std::size_t size() const noexcept { return size_; }

    /// Precondition: nothing is armed. Continues from `now` without visiting the slots in between.
    void skip_to(Tick now) noexcept { last_ = now; }
    /// Fires the alarms due up to `now`. Callbacks may arm and disarm any alarm.
    void advance(Tick now);
    /// The tick at which to call advance() next, at most `horizon` after the last call.
    Tick next(Tick horizon) const noexcept;

private:
    static constexpr std::size_t kSlots = 512;

    static void link(Alarm& head, Alarm& alarm) noexcept;
    static void unlink(Alarm& alarm) noexcept;
    Alarm& slot(Tick tick) noexcept { return slots_[static_cast<std::size_t>(tick) % kSlots]; }
    const Alarm& slot(Tick tick) const noexcept { return slots_[static_cast<std::size_t>(tick) % kSlots]; }
    void release(Alarm& head) noexcept;

    std::array<Alarm, kSlots> slots_;  // list heads: circular through the head itself
    Alarm due_;
    Tick last_ = 0;
    std::size_t size_ = 0;
};

}  // namespace gantry
