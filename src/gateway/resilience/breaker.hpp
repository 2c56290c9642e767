#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// How a call went, as far as its source's health is concerned.
enum class Fate : std::uint8_t {
    kAnswered,  ///< there was an answer, also one that says no
    kFailed,    ///< none in time, or none that can be used
    kLost,      ///< the connection went; others may have lost the same one
    kNothing,   ///< says nothing about the source: cancelled, refused on our side
};

/// Stops calls to a source that keeps failing, and lets a few through later to see whether it is well again.
///
///     closed → open, after `threshold` failures in a row → half open, after `recovery` → closed, or open again
///
/// Without a clock of its own: whoever asks says what time it is. A call settles only in the state it was admitted in.
class Breaker {
public:
    struct Ticket {
        std::uint32_t epoch = 0;  // of which state
        std::uint32_t seen = 0;   // failures known when it began
    };
    using OnChange = std::function<void(BreakerState from, BreakerState to)>;

    explicit Breaker(const BreakerOptions& options) : options_(options) {}

    void watch(OnChange tell) { tell_ = std::move(tell); }
    /// Takes effect from now on; the state stays.
    void configure(const BreakerOptions& options);

    /// Empty: not now.
    std::optional<Ticket> admit(TimePoint now) {
        if (state_ == BreakerState::kClosed) [[likely]]
            return Ticket{.epoch = epoch_, .seen = seen_};
        return admit_test(now);
    }
    void settle(Ticket ticket, Fate fate, TimePoint now) {
        if (fate == Fate::kAnswered && state_ == BreakerState::kClosed) [[likely]] {
            failures_ = 0;
            return;
        }
        settle_trouble(ticket, fate, now);
    }

    /// Open for long enough: half open from now on. True when it is.
    bool recover(TimePoint now);
    /// Closed, whatever happened.
    void reset();

    BreakerState state() const noexcept { return state_; }
    std::size_t failures() const noexcept { return failures_; }
    /// When test calls are let through; only while open.
    TimePoint recovers_at() const noexcept { return recovers_at_; }

private:
    std::optional<Ticket> admit_test(TimePoint now);
    void settle_trouble(Ticket ticket, Fate fate, TimePoint now);
    void settle_test(Fate fate, TimePoint now);
    void count_failure(Ticket ticket, Fate fate, TimePoint now);
    void open(TimePoint now);
    void change(BreakerState to);

    BreakerOptions options_;
    OnChange tell_;
    BreakerState state_ = BreakerState::kClosed;
    std::uint32_t epoch_ = 0;
    std::uint32_t seen_ = 0;
    std::size_t failures_ = 0;
    std::size_t testing_ = 0;    // half open: calls let through that have not settled
    std::size_t successes_ = 0;  // half open
    TimePoint recovers_at_{};
};

}  // namespace gantry::gateway
