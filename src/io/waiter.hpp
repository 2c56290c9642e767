#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>

#include "io/context.hpp"
#include "io/loop.hpp"
#include "io/ready.hpp"

namespace gantry {

/// Why a waiting task resumes.
enum class Wake : std::uint8_t { kNone, kReady, kTimeout, kCancelled };

/// The only way to suspend a task until a callback of the same loop resumes it; Event, sleep and
/// every hand-written operation of io are based on it.
///
///     Waiter waiter;
///     waiter.watch(ctx);                 // the deadline and the token wake it too
///     start_something(&waiter);          // … calls waiter.wake(Wake::kReady)
///     co_await waiter.park();
///     GANTRY_CO_CHECK(waiter.result());
///
/// The first wake() decides; later ones have no effect. A suspended task resumes on a later turn of the loop,
/// never inside wake(). Lives in the coroutine's frame; code that may still call wake() must be
/// unregistered before the frame ends.
class Waiter final : private Ready {
public:
    explicit Waiter(Loop& loop = Loop::current()) noexcept : Ready(&resume), loop_(loop) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    void watch(const Context& ctx) { watch(ctx, ctx.deadline()); }
    /// With a deadline other than the context's.
    void watch(const Context& ctx, Deadline deadline);
    void wake(Wake why) noexcept;
    Wake why() const noexcept { return why_; }
    Loop& loop() const noexcept { return loop_; }
    /// The context's error unless woken by kReady.
    Result<void> result() const;

    /// For awaiters that suspend by themselves: `task` resumes when woken. Precondition: not woken yet.
    void suspend(std::coroutine_handle<> task) noexcept { parked_ = task; }

    /// May be awaited once.
    auto park() noexcept {
        struct Park {
            Waiter& waiter;
            bool await_ready() const noexcept { return waiter.why_ != Wake::kNone; }
            void await_suspend(std::coroutine_handle<> task) const noexcept { waiter.suspend(task); }
            void await_resume() const noexcept {}
        };
        return Park{*this};
    }

private:
    static void resume(Ready& self);

    Loop& loop_;
    Wake why_ = Wake::kNone;
    std::coroutine_handle<> parked_;
    Loop::Alarm alarm_;
    std::optional<CancelCallback> on_cancel_;
};

}  // namespace gantry
