#include "gateway/resilience/turnstile.hpp"

#include <algorithm>
#include <string>

namespace gantry::gateway {

struct Turnstile::Waiter {
    explicit Waiter(Turnstile& where) : turnstile(where) { turnstile.waiting_.push_back(this); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
        if (!woken.is_set()) std::erase(turnstile.waiting_, this);
    }
    void wake(bool with_seat) noexcept {
        seated = with_seat;
        woken.set();
    }

    Turnstile& turnstile;
    Event woken;
    bool seated = false;
};

Task<Result<void>> Turnstile::enter(const Context& ctx) {
    if (try_enter()) co_return Result<void>();
    if (waiting_.size() >= limits_.waiting)
        co_return fail(Error(ErrorCode::kLimit, std::to_string(running_) + " calls are running and " +
                                                    std::to_string(waiting_.size()) + " wait already"));
    Waiter self(*this);
    auto waited = co_await self.woken.wait(ctx.within(limits_.patience));
    // A slot granted at the moment of the timeout still counts.
    if (self.seated) co_return Result<void>();
    if (self.woken.is_set()) co_return fail(ErrorCode::kCancelled, "sent away");
    if (auto going_on = ctx.check(); !going_on) co_return going_on;
    co_return fail(Error(ErrorCode::kLimit, std::to_string(running_) + " calls are running and none ended in time"));
}

void Turnstile::leave() noexcept {
    --running_;
    let_in();
}

void Turnstile::let_in() noexcept {
    while (!waiting_.empty() && try_enter()) {
        Waiter* first = waiting_.front();
        waiting_.pop_front();
        first->wake(true);
    }
}

void Turnstile::send_away() noexcept {
    const auto waiting = std::exchange(waiting_, {});
    for (Waiter* waiter : waiting) waiter->wake(false);
}

void Turnstile::configure(const ConcurrencyLimits& limits) {
    limits_ = limits;
    let_in();
}

}  // namespace gantry::gateway
