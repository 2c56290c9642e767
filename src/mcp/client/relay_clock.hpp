#pragma once

#include <optional>

#include "io/context.hpp"
#include "io/loop.hpp"
#include "mcp/client/rpc.hpp"

namespace gantry::mcp {

/// The time limits of one relayed request (CallTimes) as a context: it ends when the caller's does, when a limit
/// passes, or when stop() is called. What waits under it cannot be told a new deadline, so an alarm cancels it.
class RelayClock {
public:
    RelayClock(const Context& ctx, const CallTimes& times);
    RelayClock(const RelayClock&) = delete;
    RelayClock& operator=(const RelayClock&) = delete;

    const Context& context() const noexcept { return context_; }
    const CancelSource& source() const noexcept { return stop_; }

    /// The server showed that it is alive.
    void revive();
    /// We begin or end to work on something the server asked: until then idle does not count.
    void serve(bool begins);
    /// Somebody begins or stops logging in: until then nothing counts.
    void hold(bool waiting);

    /// Whether a limit has passed.
    bool timed_out() const noexcept { return timed_out_; }
    /// The end of the cap, as far as known now.
    Deadline cap() const noexcept { return Deadline::after(times_.total, started_ + held_); }

private:
    Deadline next() const noexcept;
    void arm();
    static void rang(void* self);

    CallTimes times_;
    CancelSource stop_;
    Context context_;
    TimePoint started_;
    TimePoint alive_since_;
    std::optional<TimePoint> held_since_;
    Duration held_{};
    int serving_ = 0;
    bool timed_out_ = false;
    Loop::Alarm alarm_;
};

}  // namespace gantry::mcp
