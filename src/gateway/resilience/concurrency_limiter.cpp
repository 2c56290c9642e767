#include "gateway/resilience/concurrency_limiter.hpp"

#include <algorithm>
#include <string>

namespace gantry::gateway {

struct ConcurrencyLimiter::Waiter {
    explicit Waiter(ConcurrencyLimiter& where) : limiter(where) { limiter.waiting_.push_back(this); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
        if (!woken.is_set()) std::erase(limiter.waiting_, this);
    }
    void wake(bool with_slot) noexcept {
        granted = with_slot;
        woken.set();
    }

    ConcurrencyLimiter& limiter;
    Event woken;
    bool granted = false;
};

Task<Result<void>> ConcurrencyLimiter::enter(const Context& ctx) {
    if (try_enter()) co_return Result<void>();
    if (waiting_.size() >= limits_.waiting)
        co_return fail(Error(ErrorCode::kLimit, std::to_string(running_) + " calls are running and " +
                                                    std::to_string(waiting_.size()) + " wait already"));
    Waiter self(*this);
    auto waited = co_await self.woken.wait(ctx.within(limits_.queue_timeout));
    // A slot granted at the moment of the timeout still counts.
    if (self.granted) co_return Result<void>();
    if (self.woken.is_set()) co_return fail(ErrorCode::kCancelled, "sent away");
    if (auto going_on = ctx.check(); !going_on) co_return going_on;
    co_return fail(Error(ErrorCode::kLimit, std::to_string(running_) + " calls are running and none ended in time"));
}

void ConcurrencyLimiter::leave() noexcept {
    --running_;
    let_in();
}

void ConcurrencyLimiter::let_in() noexcept {
    while (!waiting_.empty() && try_enter()) {
        Waiter* first = waiting_.front();
        waiting_.pop_front();
        first->wake(true);
    }
}

void ConcurrencyLimiter::send_away() noexcept {
    const auto waiting = std::exchange(waiting_, {});
    for (Waiter* waiter : waiting) waiter->wake(false);
}

void ConcurrencyLimiter::configure(const ConcurrencyLimits& limits) {
    limits_ = limits;
    let_in();
}

}  // namespace gantry::gateway
