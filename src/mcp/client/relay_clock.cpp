#include "mcp/client/relay_clock.hpp"

#include <utility>

namespace gantry::mcp {

RelayClock::RelayClock(const Context& ctx, const CallTimes& times)
    : times_(times),
      stop_(ctx.cancel()),
      context_(ctx.stopped_by(stop_)),
      started_(coarse_now() + kCoarse),
      alive_since_(started_) {
    arm();
}

void RelayClock::revive() {
    alive_since_ = coarse_now() + kCoarse;
    // The alarm may fire early; it is then armed again.
}

void RelayClock::serve(bool begins) {
    serving_ += begins ? 1 : -1;
    alive_since_ = coarse_now() + kCoarse;
    arm();
}

void RelayClock::hold(bool waiting) {
    const TimePoint now = SteadyClock::now();
    if (waiting) {
        held_since_ = now;
    } else if (held_since_) {
        held_ += now - *std::exchange(held_since_, std::nullopt);
        alive_since_ = now;
    }
    arm();
}

Deadline RelayClock::next() const noexcept {
    if (held_since_) return Deadline::never();
    const Deadline idle = serving_ > 0 ? Deadline::never() : Deadline::after(times_.idle, alive_since_);
    return earlier(idle, cap());
}

void RelayClock::arm() {
    alarm_.arm(Loop::current(), next(), &RelayClock::rang, this);
}

void RelayClock::rang(void* self) {
    auto& clock = *static_cast<RelayClock*>(self);
    if (!clock.next().passed()) return clock.arm();
    clock.timed_out_ = true;
    clock.stop_.cancel();
}

}  // namespace gantry::mcp
