#include "io/loop.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "io/descriptor.hpp"
#include "io/loop_impl.hpp"
#include "io/quick_calls.hpp"
#include "io/steps.hpp"
#include "io/waiter.hpp"

namespace gantry {

namespace {

thread_local Loop* current_loop = nullptr;

class Current {
public:
    Current(Loop* loop, FramePool& frames) noexcept : outer_(std::exchange(current_loop, loop)), frames_(&frames) {}
    ~Current() { current_loop = outer_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

private:
    Loop* outer_;
    FramePool::Use frames_;
};

/// After this many tasks the kernel is polled again, even if more are ready.
constexpr int kTurn = 256;
/// With this many ready tasks, a task that sends lets the others run first. With fewer, a peer waiting for the first
/// message would lose more than is saved by waking it once.
constexpr int kCrowd = 8;
/// Maximum number of events per poll.
constexpr std::size_t kEvents = 128;

void watch(int epoll, int fd, void* mark) {
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = mark}};
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
}

/// Upper bound of the coarse clock's lag on this kernel.
Duration coarse_lag() {
    static const Duration lag = [] {
        timespec step{};
        const bool known = ::clock_getres(CLOCK_MONOTONIC_COARSE, &step) == 0;
        return known ? Duration(seconds(step.tv_sec) + std::chrono::nanoseconds(step.tv_nsec)) : kCoarse;
    }();
    return lag;
}

itimerspec once_at(TimePoint when) {
    const auto since = when.time_since_epoch();
    const auto whole = std::chrono::duration_cast<seconds>(since);
    itimerspec times{};
    times.it_value.tv_sec = whole.count();
    times.it_value.tv_nsec = std::chrono::nanoseconds(since - whole).count();
    return times;
}

}  // namespace

Loop::Impl::Impl()
    : epoll(Fd::needed(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      timer_(Fd::needed(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")) {
    watch(epoll.get(), mailbox->bell(), nullptr);
    watch(epoll.get(), timer_.get(), &timer_);
}

Loop::Impl::~Impl() = default;

template <class Done>
void Loop::Impl::turn(Done done, bool for_ever) {
    while (!done()) {
        if (mailbox->has_mail()) take_mail();
        for (int left = kTurn; left > 0 && !ready.empty(); --left) {
            ++steps;
            ready.run_first();
            if (done()) return;
        }
        const bool idle = ready.empty() && after_news.empty() && !mailbox->has_mail();
        if (idle && !for_ever && waiting == 0 && wheel.size() == 0) return;
        poll(idle);
        ++turns;
        ready.append(after_news);
    }
}

void Loop::Impl::take_mail() {
    for (Mailbox::Function& letter : mailbox->take()) post_here(std::move(letter));
}

void Loop::Impl::post_here(Mailbox::Function function) {
    posted_.push_back(std::move(function));
    if (!run_posted_.queued()) ready.push(run_posted_);
}

void Loop::Impl::Posted::run_next(Ready& self) {
    Impl& impl = static_cast<Posted&>(self).impl;
    auto function = std::move(impl.posted_.front());
    impl.posted_.pop_front();
    if (!impl.posted_.empty()) impl.ready.push(self);
    function();
}

void Loop::Impl::poll(bool wait) {
    std::array<epoll_event, kEvents> events;
    const int count = quick::epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), wait ? -1 : 0);
    // Only flags and queues are modified here, so no object with a later event in the list can be destroyed.
    bool due = false;
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.ptr == &timer_) {
            due = true;
        } else if (event.data.ptr) {
            static_cast<Descriptor*>(event.data.ptr)->on_event(event.events);
        }
    }
    if (due) sweep();
}

void Loop::Impl::arm(Alarm& alarm, Deadline deadline, void (*fire)(void*), void* self) {
    const AlarmWheel::Tick due = AlarmWheel::tick_of(deadline);
    if (!scheduled_) wheel.skip_to(AlarmWheel::tick_of(coarse_now()));
    wheel.insert(alarm, due, fire, self);
    if (!scheduled_ || due < wake_at_) schedule();
}

void Loop::Impl::schedule() {
    scheduled_ = true;
    wake_at_ = wheel.next(kHorizon);
    const itimerspec times = once_at(std::max(AlarmWheel::time_of(wake_at_), SteadyClock::now()) + coarse_lag());
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &times, nullptr);
}

void Loop::Impl::sweep() {
    // Remains "scheduled" while callbacks run: alarms they arm are seen by schedule() below.
    wake_at_ = 0;
    // Uses the clock of Deadline::passed(): a task woken by a deadline must find that it has passed.
    wheel.advance(AlarmWheel::tick_of(coarse_now()));
    scheduled_ = false;
    if (wheel.size() > 0) schedule();
}

void Loop::Impl::close() {
    closing = true;
    mailbox->close();
    roots.destroy_all();
    run_posted_.unqueue();
    while (!posted_.empty()) {
        const auto dropped = std::move(posted_.front());
        posted_.pop_front();
    }
}

Loop::Loop() : impl_(std::make_unique<Impl>()) {}

Loop::~Loop() {
    assert(current_loop != this && "a loop cannot be destroyed by one of its tasks");
    Current guard(this, impl_->frames);
    impl_->close();
}

void Loop::run() {
    assert(!current_loop && "run() inside a running loop");
    Current guard(this, impl_->frames);
    impl_->turn([this] { return impl_->stop_requested.load(std::memory_order_relaxed); }, false);
    impl_->stop_requested = false;
}

void Loop::stop() {
    impl_->stop_requested = true;
    impl_->mailbox->ring();
}

void Loop::post(std::move_only_function<void()> function) {
    if (on_this_thread()) {
        if (!impl_->closing) impl_->post_here(std::move(function));
    } else {
        impl_->mailbox->post(std::move(function));
    }
}

namespace {

Root note_end(Loop&, Task<void> task, bool* done, std::exception_ptr* escaped) {
    try {
        co_await std::move(task);
    } catch (...) {
        *escaped = std::current_exception();
    }
    *done = true;
}

}  // namespace

void Loop::drive(Task<void> task) {
    assert(!current_loop && "run_until_done() inside a running loop: co_await the task instead");
    Current guard(this, impl_->frames);
    bool done = false;
    std::exception_ptr escaped;
    note_end(*this, std::move(task), &done, &escaped);
    impl_->turn([&done] { return done; }, true);
    if (escaped) std::rethrow_exception(escaped);
}

std::uint64_t loop_steps() noexcept {
    return Loop::current().impl().steps;
}

std::uint64_t loop_turns() noexcept {
    return Loop::current().impl().turns;
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

Loop::Busy::Busy(Loop& loop) noexcept : loop_(loop) {
    ++loop_.impl_->waiting;
}

Loop::Busy::~Busy() {
    --loop_.impl_->waiting;
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

Task<void> one_turn() {
    co_await yield_now();
}

bool Yield::await_ready() const noexcept {
    return !always_ && !loop_.impl().ready.has(kCrowd);
}

void Yield::await_suspend(std::coroutine_handle<> task) noexcept {
    task_ = task;
    (always_ ? loop_.impl().after_news : loop_.impl().ready).push(*this);
}

void Yield::resume(Ready& self) {
    static_cast<Yield&>(self).task_.resume();
}

}  // namespace gantry
