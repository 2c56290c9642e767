#include "gateway/resilience/breaker.hpp"

namespace gantry::gateway {

void Breaker::configure(const BreakerOptions& options) {
    options_ = options;
    if (!options_.enabled) reset();
}

std::optional<Breaker::Ticket> Breaker::admit_test(TimePoint now) {
    if (!recover(now) || testing_ >= options_.test_calls) return std::nullopt;
    ++testing_;
    return Ticket{.epoch = epoch_, .seen = seen_};
}

bool Breaker::recover(TimePoint now) {
    if (state_ == BreakerState::kOpen && now >= recovers_at_) change(BreakerState::kHalfOpen);
    return state_ == BreakerState::kHalfOpen;
}

void Breaker::reset() {
    failures_ = 0;
    if (state_ != BreakerState::kClosed) change(BreakerState::kClosed);
}

void Breaker::settle_trouble(Ticket ticket, CallSignal signal, TimePoint now) {
    if (ticket.epoch != epoch_ || !options_.enabled) return;
    if (state_ == BreakerState::kHalfOpen) return settle_test(signal, now);
    if (state_ == BreakerState::kClosed && signal != CallSignal::kNothing) count_failure(ticket, signal, now);
}

void Breaker::settle_test(CallSignal signal, TimePoint now) {
    --testing_;
    if (signal == CallSignal::kAnswered && ++successes_ >= options_.successes) {
        failures_ = 0;
        change(BreakerState::kClosed);
    } else if (signal == CallSignal::kFailed || signal == CallSignal::kLost) {
        open(now);
    }
}

/// Calls that lost the same connection count as one failure: those that had begun before it was counted are ignored.
void Breaker::count_failure(Ticket ticket, CallSignal signal, TimePoint now) {
    if (signal == CallSignal::kLost && ticket.seen != seen_) return;
    ++seen_;
    if (++failures_ >= options_.threshold) open(now);
}

void Breaker::open(TimePoint now) {
    recovers_at_ = now + options_.recovery;
    change(BreakerState::kOpen);
}

void Breaker::change(BreakerState to) {
    const BreakerState from = std::exchange(state_, to);
    ++epoch_;
    testing_ = 0;
    successes_ = 0;
    if (tell_) tell_(from, to);
}

}  // namespace gantry::gateway
