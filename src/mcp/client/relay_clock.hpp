#pragma once

#include <optional>

#include "io/context.hpp"
#include "io/loop.hpp"
#include "mcp/client/rpc.hpp"

namespace gantry::mcp {

/// The timeouts of one relayed request (CallTimes) as a context: it ends with the caller's context, when a timeout
/// expires, or on stop(). A pending wait cannot be given a new deadline, so an alarm cancels the context instead.
class RelayClock {
public:
    RelayClock(const Context& ctx, const CallTimes& times);
    RelayClock(const RelayClock&) = delete;
    RelayClock& operator=(const RelayClock&) = delete;

    const Context& context() const noexcept { return context_; }
    const CancelSource& source() const noexcept { return stop_; }

    /// The server showed a sign of life: restarts the idle timeout.
    void revive();
    /// A handler starts or stops working on a request of the server; the idle timeout is paused meanwhile.
    void serve(bool begins);
    /// A user starts or stops logging in; all timeouts are paused meanwhile.
    void hold(bool waiting);

    /// Whether a timeout expired.
    bool timed_out() const noexcept { return timed_out_; }
    /// End of the total timeout, as currently known.
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
