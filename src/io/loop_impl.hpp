#pragma once

#include <atomic>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "io/alarm_wheel.hpp"
#include "io/loop.hpp"
#include "io/waiter.hpp"

namespace gantry {

/// What a Loop is made of; only io's own files look inside.
class Loop::Impl {
public:
    Impl() : timer_(std::in_place, *io) {}

    void arm(Alarm& alarm, Deadline deadline, void (*fire)(void*), void* self);

    /// Drops every task that is left. Their frames may still use everything here but `io`.
    void close();

    AlarmWheel wheel;
    Waiter* parked = nullptr;
    bool closing = false;
    std::atomic<bool> stop_requested = false;
    // Everything that waits belongs to this loop's thread, so that descriptors need no locks; only post() and stop()
    // come from elsewhere.
    std::optional<boost::asio::io_context> io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};

private:
    /// The sweep looks up at least this often while anything is armed, so that run() ends within
    /// half a second of the last alarm's disarming, which does not touch the timer.
    static constexpr AlarmWheel::Tick kHorizon = 25;

    void schedule();
    void sweep();

    using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>, Executor>;
    std::optional<Timer> timer_;
    bool scheduled_ = false;
    AlarmWheel::Tick wake_at_ = 0;
};

}  // namespace gantry
