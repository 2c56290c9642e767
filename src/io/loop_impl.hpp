#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>

#include "io/alarm_wheel.hpp"
#include "io/fd.hpp"
#include "io/frame_pool.hpp"
#include "io/loop.hpp"
#include "io/mailbox.hpp"
#include "io/ready.hpp"
#include "io/root.hpp"

namespace gantry {

class Descriptor;

/// Implementation of Loop; internal to io.
class Loop::Impl {
public:
    Impl();
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Runs turns until `done` returns true. With `for_ever` it waits for mail of other threads if there is nothing
    /// else to wait for, instead of returning.
    template <class Done>
    void turn(Done done, bool for_ever);

    void arm(Alarm& alarm, Deadline deadline, void (*fire)(void*), void* self);
    void post_here(Mailbox::Function function);

    /// Drops every remaining task, then the posted functions.
    void close();

    FramePool frames;  // outlives every task
    ReadyQueue ready;
    ReadyQueue after_news;    // ready, but only after the kernel has been polled
    std::uint64_t steps = 0;  // number of tasks resumed
    std::uint64_t turns = 0;  // number of polls
    RootList roots;
    AlarmWheel wheel;
    bool closing = false;
    /// Operations that wait for external events; while there is one, run() continues.
    std::size_t waiting = 0;
    std::atomic<bool> stop_requested = false;
    std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
    Fd epoll;

private:
    /// Upper bound between two sweeps while anything is armed.
    static constexpr AlarmWheel::Tick kHorizon = 25;

    /// Runs the first entry of `posted_`.
    struct Posted final : Ready {
        explicit Posted(Impl& owner) noexcept : Ready(&run_next), impl(owner) {}
        static void run_next(Ready& self);
        Impl& impl;
    };

    void take_mail();
    /// Polls the kernel for events; blocks if there is nothing else to do.
    void poll(bool wait);
    void schedule();
    void sweep();

    Fd timer_;
    bool scheduled_ = false;
    AlarmWheel::Tick wake_at_ = 0;
    std::deque<Mailbox::Function> posted_;
    Posted run_posted_{*this};
};

}  // namespace gantry
