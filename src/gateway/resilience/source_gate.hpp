#pragma once

#include <memory>
#include <string>

#include "base/local_ptr.hpp"
#include "gateway/model/call.hpp"
#include "gateway/ports/observer.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/resilience/breaker.hpp"
#include "gateway/resilience/token_bucket.hpp"
#include "gateway/resilience/turnstile.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {

/// What one source's health and load look like now.
struct GateStatus {
    std::string source;
    BreakerState breaker = BreakerState::kClosed;
    std::size_t failures = 0;
    /// What the last failure that counted was; empty while closed.
    std::string cause = {};
    /// Open: how long until test calls are let through.
    Duration retry_in{};
    std::size_t running = 0;
    std::size_t waiting = 0;
};

/// Stands before one source: its circuit breaker, how many calls it runs at once, how often it may be called. Belongs
/// to one loop.
class SourceGate : public LocalCounted {
public:
    /// `observer` may be null, else outlives the gate.
    SourceGate(std::string source, const SourceLimits& limits, Observer* observer);
    SourceGate(const SourceGate&) = delete;
    SourceGate& operator=(const SourceGate&) = delete;

    /// The right to run one call; given back when it goes.
    class [[nodiscard]] Seat {
    public:
        Seat() = default;
        Seat(Seat&&) noexcept = default;
        Seat& operator=(Seat&&) = delete;
        ~Seat() {
            if (gate_) give_back(Fate::kNothing);
        }
        explicit operator bool() const noexcept { return static_cast<bool>(gate_); }

        /// What the call came to. The seat is free again, unless the result is still on its way: then when it is read.
        void settle(Result<Output>& output);
        /// How reading it ended; who stops reading before says nothing about the source.
        void read_out(Fate fate);

    private:
        friend class SourceGate;
        Seat(LocalPtr<SourceGate> gate, Breaker::Ticket ticket, bool counts) noexcept
            : gate_(std::move(gate)), ticket_(ticket), counts_(counts) {}
        void give_back(Fate fate);

        LocalPtr<SourceGate> gate_;
        Breaker::Ticket ticket_;
        bool counts_ = false;   // for the breaker: the source was up when the call began
        bool settled_ = false;  // with the breaker; only the place is still held
    };

    /// A seat if there is one now; costs next to nothing.
    Seat try_enter(const Source& source) {
        const auto ticket = breaker_.admit(breaker_.state() == BreakerState::kClosed ? TimePoint{} : coarse_now());
        if (!ticket) [[unlikely]]
            return {};
        if (!turnstile_.try_enter()) [[unlikely]] {
            breaker_.settle(*ticket, Fate::kNothing, TimePoint{});
            return {};
        }
        return Seat(LocalPtr(this), *ticket, source.state() == SourceState::kReady);
    }
    /// The same with waiting. kConnection, reason circuit_open or circuit_testing; kLimit, reason busy: both say when
    /// to come back.
    Task<Result<Seat>> enter(const Context& ctx, const Source& source);

    /// Takes from the buckets of the source and the tool, or says how long until it could. `tool` is empty for calls
    /// that are not about one. Nothing is taken before commit_rate().
    Duration rate_wait(std::string_view tool, TimePoint now);
    void commit_rate() noexcept;
    bool has_rates() const noexcept { return limits_.rate.limited() || !limits_.tool_rates.empty(); }

    const RetryOptions& retry() const noexcept { return limits_.retry; }
    const std::string& source() const noexcept { return source_; }
    GateStatus status() const;
    /// By hand: as if nothing had failed.
    void reset() { breaker_.reset(); }
    /// New limits; what is known of the source's health stays.
    void configure(const SourceLimits& limits);

private:
    friend class Seat;
    void note_failure(const Error& error);
    void on_change(BreakerState from, BreakerState to);
    Error broken() const;
    const Rate* tool_rate(std::string_view tool) const noexcept;

    std::string source_;
    SourceLimits limits_;
    Observer* observer_;
    Breaker breaker_;
    Turnstile turnstile_;
    TokenBucket bucket_;
    BucketTable tool_buckets_;
    TokenBucket* to_take_[2] = {};  // between rate_wait() and commit_rate()
    Loop::Alarm recovery_;
    std::string cause_;  // the last failure, shortened
};

/// What an error says about the health of the source it came from.
Fate fate_of(const Error& error) noexcept;

}  // namespace gantry::gateway
