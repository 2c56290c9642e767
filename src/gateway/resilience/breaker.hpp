#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// The outcome of a call with regard to its source's health.
enum class CallSignal : std::uint8_t {
    kAnswered,  ///< an answer, including an error answer
    kFailed,    ///< a timeout, or an unusable answer
    kLost,      ///< the connection was lost; other calls may have lost the same one
    kNothing,   ///< not related to the source: cancelled, or refused by the gateway
};

/// Circuit breaker: stops calls to a source that keeps failing, and later admits a few test calls to detect recovery.
///
///     closed → open, after `threshold` failures in a row → half open, after `recovery` → closed, or open again
///
/// Has no clock of its own: the caller passes the time. A call is counted only if the breaker is still in the state in
/// which the call was admitted.
class Breaker {
public:
    struct Ticket {
        std::uint32_t epoch = 0;  // identifies the state it was admitted in
        std::uint32_t seen = 0;   // failures known when the call began
    };
    using OnChange = std::function<void(BreakerState from, BreakerState to)>;

    explicit Breaker(const BreakerOptions& options) : options_(options) {}

    void watch(OnChange tell) { tell_ = std::move(tell); }
    /// Takes effect from now on; the state is kept.
    void configure(const BreakerOptions& options);

    /// Empty: the call is refused.
    std::optional<Ticket> admit(TimePoint now) {
        if (state_ == BreakerState::kClosed) [[likely]]
            return Ticket{.epoch = epoch_, .seen = seen_};
        return admit_test(now);
    }
    void settle(Ticket ticket, CallSignal signal, TimePoint now) {
        if (signal == CallSignal::kAnswered && state_ == BreakerState::kClosed) [[likely]] {
            failures_ = 0;
            return;
        }
        settle_trouble(ticket, signal, now);
    }

    /// Moves from open to half open once the recovery time has elapsed. True when it is half open.
    bool recover(TimePoint now);
    /// Closes the breaker unconditionally.
    void reset();

    BreakerState state() const noexcept { return state_; }
    std::size_t failures() const noexcept { return failures_; }
    /// When test calls are admitted; meaningful only while open.
    TimePoint recovers_at() const noexcept { return recovers_at_; }

private:
    std::optional<Ticket> admit_test(TimePoint now);
    void settle_trouble(Ticket ticket, CallSignal signal, TimePoint now);
    void settle_test(CallSignal signal, TimePoint now);
    void count_failure(Ticket ticket, CallSignal signal, TimePoint now);
    void open(TimePoint now);
    void change(BreakerState to);

    BreakerOptions options_;
    OnChange tell_;
    BreakerState state_ = BreakerState::kClosed;
    std::uint32_t epoch_ = 0;
    std::uint32_t seen_ = 0;
    std::size_t failures_ = 0;
    std::size_t testing_ = 0;    // half open: test calls in flight
    std::size_t successes_ = 0;  // half open
    TimePoint recovers_at_{};
};

}  // namespace gantry::gateway
