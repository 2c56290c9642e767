#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "io/context.hpp"
#include "io/ready.hpp"
#include "io/task.hpp"

namespace gantry {

class AlarmWheel;

/// Single-threaded event loop based on epoll. Objects created on a loop are used on its thread only;
/// the exceptions (post, stop) are marked. Loops share nothing.
class Loop {
public:
    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// Runs until stop() or until there is nothing left to wait for.
    void run();
    /// Makes run() return soon; if called before run(), the next run() returns at once. Any thread.
    void stop();
    /// Runs `function` on the loop's thread. Any thread. Order is preserved per caller.
    void post(std::move_only_function<void()> function);

    /// Runs `task` to completion on this loop and returns its value; for main() and tests.
    /// Exceptions that escape the task are rethrown. Other tasks of the loop run meanwhile and stay
    /// suspended afterwards; stop() does not end it.
    template <class T>
    T run_until_done(Task<T> task);

    bool on_this_thread() const noexcept;

    /// RAII: keeps run() from returning although nothing else is pending.
    class Busy {
    public:
        explicit Busy(Loop& loop) noexcept;
        ~Busy();
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

    private:
        Loop& loop_;
    };

    /// The loop running on this thread; asserts if there is none.
    static Loop& current();
    /// True while the destructor drops the remaining tasks: nothing is woken or awaited any more.
    bool closing() const noexcept;

    /// One coarse timer serves every deadline of the loop: arming costs a list insertion,
    /// not a system call. Never early, late by kSweep and a few milliseconds. The callback runs at most once.
    static constexpr Duration kSweep = milliseconds(20);

    /// A deadline in the loop's timer wheel. Destroying it disarms it.
    class Alarm {
    public:
        Alarm() noexcept = default;
        ~Alarm() { disarm(); }
        Alarm(const Alarm&) = delete;
        Alarm& operator=(const Alarm&) = delete;

        /// Replaces an armed deadline. `fire` must stay valid until disarmed; never() disarms.
        void arm(Loop& loop, Deadline deadline, void (*fire)(void* self), void* self);
        void disarm() noexcept;
        bool armed() const noexcept { return wheel_ != nullptr; }

    private:
        friend class gantry::AlarmWheel;
        AlarmWheel* wheel_ = nullptr;
        Alarm* previous_ = nullptr;
        Alarm* next_ = nullptr;
        std::int64_t tick_ = 0;
        void (*fire_)(void*) = nullptr;
        void* self_ = nullptr;
    };

    class Impl;  // internal to io
    Impl& impl() noexcept { return *impl_; }

private:
    void drive(Task<void> task);

    std::unique_ptr<Impl> impl_;
};

/// Waits, or ends early with the context's error.
Task<Result<void>> sleep_until(const Context& ctx, TimePoint when);
Task<Result<void>> sleep_for(const Context& ctx, Duration duration);

/// Awaitable of yield_now() and yield_if_busy(); needs no frame of its own.
class [[nodiscard]] Yield final : private Ready {
public:
    explicit Yield(bool always) noexcept : Ready(&resume), loop_(Loop::current()), always_(always) {}

    bool await_ready() const noexcept;
    void await_suspend(std::coroutine_handle<> task) noexcept;
    void await_resume() const noexcept {}

private:
    static void resume(Ready& self);

    Loop& loop_;
    bool always_;
    std::coroutine_handle<> task_;
};

/// Suspends until all other ready tasks have run, including those made ready by new kernel events.
inline Yield yield_now() noexcept {
    return Yield(true);
}

/// yield_now() as a task, for run_until_done().
Task<void> one_turn();

/// Lets the ready tasks run first if there are many; with only a few, does nothing. Awaited before a message is sent:
/// what the tasks of one turn send then leaves back to back, and a peer is woken once for all of it instead of once
/// for each.
inline Yield yield_if_busy() noexcept {
    return Yield(false);
}

}  // namespace gantry

#include "io/loop_inl.hpp"
