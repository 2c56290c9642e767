#include "io/loop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <cassert>
#include <exception>
#include <utility>

#include "base/try.hpp"
#include "io/loop_impl.hpp"
#include "io/waiter.hpp"

namespace gantry {

namespace {

thread_local Loop* current_loop = nullptr;

class Current {
public:
    explicit Current(Loop* loop) noexcept : outer_(std::exchange(current_loop, loop)) {}
    ~Current() { current_loop = outer_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

private:
    Loop* outer_;
};

}  // namespace

void Loop::Impl::arm(Alarm& alarm, Deadline deadline, void (*fire)(void*), void* self) {
    const AlarmWheel::Tick due = AlarmWheel::tick_of(deadline);
    if (!scheduled_) wheel.skip_to(AlarmWheel::tick_of(SteadyClock::now()));
    wheel.insert(alarm, due, fire, self);
    if (!scheduled_ || due < wake_at_) schedule();
}

void Loop::Impl::schedule() {
    scheduled_ = true;
    wake_at_ = wheel.next(kHorizon);
    timer_->expires_at(AlarmWheel::time_of(wake_at_));
    timer_->async_wait([this](const boost::system::error_code& error) {
        if (!error) sweep();
    });
}

void Loop::Impl::sweep() {
    // Still "scheduled" while callbacks run: what they arm is seen by the schedule() below.
    wake_at_ = 0;
    wheel.advance(AlarmWheel::tick_of(SteadyClock::now()));
    scheduled_ = false;
    if (wheel.size() > 0) schedule();
}

void Loop::Impl::close() {
    closing = true;
    // A parked task is owned by its own frame through the waiter: break the circle. Asio unwinds the
    // frames when the io_context goes.
    while (Waiter* waiter = parked) waiter->drop();
    timer_.reset();
    io.reset();
}

Loop::Loop() : impl_(std::make_unique<Impl>()) {}

Loop::~Loop() {
    assert(current_loop != this && "a loop cannot be destroyed by one of its tasks");
    Current guard(this);
    impl_->close();
}

void Loop::run() {
    assert(!current_loop && "run() inside a running loop");
    Current guard(this);
    impl_->io->restart();
    if (!impl_->stop_requested.exchange(false)) {
        impl_->io->run();
        impl_->stop_requested = false;
    }
}

void Loop::stop() {
    impl_->stop_requested = true;
    impl_->io->stop();
}

void Loop::post(std::move_only_function<void()> function) {
    boost::asio::post(*impl_->io, std::move(function));
}

void Loop::drive(Task<void> task) {
    assert(!current_loop && "run_until_done() inside a running loop: co_await the task instead");
    Current guard(this);
    bool done = false;
    std::exception_ptr escaped;
    boost::asio::co_spawn(*impl_->io, std::move(task), [&](std::exception_ptr error) {
        done = true;
        escaped = std::move(error);
        impl_->io->stop();
    });
    while (!done) {
        impl_->io->restart();
        impl_->io->run();
    }
    if (escaped) std::rethrow_exception(escaped);
}

Executor Loop::executor() noexcept {
    return impl_->io->get_executor();
}

boost::asio::io_context& Loop::io() noexcept {
    return *impl_->io;
}

bool Loop::on_this_thread() const noexcept {
    return current_loop == this;
}

Loop& Loop::current() {
    assert(current_loop && "no loop runs on this thread");
    return *current_loop;
}

bool Loop::closing() const noexcept {
    return impl_->closing;
}

void Loop::Alarm::arm(Loop& loop, Deadline deadline, void (*fire)(void*), void* self) {
    disarm();
    if (!deadline.is_never()) loop.impl_->arm(*this, deadline, fire, self);
}

void Loop::Alarm::disarm() noexcept {
    if (wheel_) wheel_->remove(*this);
}

Task<Result<void>> sleep_until(const Context& ctx, TimePoint when) {
    GANTRY_CO_CHECK(ctx.check());
    const Deadline wanted(when);
    Waiter waiter;
    waiter.watch(ctx, earlier(wanted, ctx.deadline()));
    co_await waiter.park();
    if (waiter.why() == Wake::kTimeout && wanted <= ctx.deadline()) co_return Result<void>();
    co_return waiter.result();
}

Task<Result<void>> sleep_for(const Context& ctx, Duration duration) {
    return sleep_until(ctx, Deadline::after(duration, SteadyClock::now()).at());
}

Task<void> yield_now() {
    co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::deferred);
}

}  // namespace gantry
