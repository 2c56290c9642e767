#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <cstdint>
#include <functional>
#include <optional>

#include "io/context.hpp"
#include "io/loop.hpp"

namespace gantry {

/// Why a waiting task goes on.
enum class Wake : std::uint8_t { kNone, kReady, kTimeout, kCancelled };

/// The one way to suspend a task until some callback of the same loop says go on; Event, sleep and
/// every hand-written operation of io are made of it.
///
///     Waiter waiter;
///     waiter.watch(ctx);                 // the deadline and the token wake it too
///     start_something(&waiter);          // … calls waiter.wake(Wake::kReady)
///     co_await waiter.park();
///     GANTRY_CO_CHECK(waiter.result());
///
/// The first wake() decides; later ones do nothing. The task resumes on a later turn of the loop,
/// never inside wake(). Lives in the coroutine's frame; whoever may still call wake() must be told
/// before the frame ends.
class Waiter {
public:
    explicit Waiter(Loop& loop = Loop::current()) noexcept : loop_(loop) {}
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    void watch(const Context& ctx) { watch(ctx, ctx.deadline()); }
    /// The same with another deadline than the context's.
    void watch(const Context& ctx, Deadline deadline);
    void wake(Wake why) noexcept;
    Wake why() const noexcept { return why_; }
    Loop& loop() const noexcept { return loop_; }
    /// The context's error unless woken by kReady.
    Result<void> result() const;

    /// Awaited at most once.
    auto park() {
        return boost::asio::async_initiate<const boost::asio::deferred_t, void()>(Park{this}, boost::asio::deferred);
    }

private:
    friend class Loop;  // drops parked tasks when it closes
    struct Park {
        Waiter* waiter;
        template <class Handler>
        void operator()(Handler handler) const {
            waiter->suspend(std::move(handler));
        }
    };

    void suspend(std::move_only_function<void()> resume);
    void link() noexcept;
    void unlink() noexcept;
    void resume_later();
    void drop() noexcept;

    Loop& loop_;
    Wake why_ = Wake::kNone;
    bool linked_ = false;
    std::move_only_function<void()> resume_;
    Waiter* previous_ = nullptr;
    Waiter* next_ = nullptr;
    Loop::Alarm alarm_;
    std::optional<CancelCallback> on_cancel_;
};

}  // namespace gantry
