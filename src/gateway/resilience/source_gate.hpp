#pragma once

#include <memory>
#include <string>

#include "base/local_ptr.hpp"
#include "gateway/model/call.hpp"
#include "gateway/ports/observer.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/resilience/breaker.hpp"
#include "gateway/resilience/concurrency_limiter.hpp"
#include "gateway/resilience/token_bucket.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {

/// Snapshot of one source's health and load.
struct GateStatus {
    std::string source;
    BreakerState breaker = BreakerState::kClosed;
    std::size_t failures = 0;
    /// The last failure that counted; empty while closed.
    std::string cause = {};
    /// Open: time until test calls are admitted.
    Duration retry_in{};
    std::size_t running = 0;
    std::size_t waiting = 0;
};

/// Admission control for one source: circuit breaker, concurrency limit and rate limits. Belongs to one loop.
class SourceGate : public LocalCounted {
public:
    /// `observer` may be null; otherwise it must outlive the gate.
    SourceGate(std::string source, const SourceLimits& limits, Observer* observer);
    SourceGate(const SourceGate&) = delete;
    SourceGate& operator=(const SourceGate&) = delete;

    /// RAII permit to run one call; released on destruction.
    class [[nodiscard]] Permit {
    public:
        Permit() = default;
        Permit(Permit&&) noexcept = default;
        Permit& operator=(Permit&&) = delete;
        ~Permit() {
            if (gate_) give_back(CallSignal::kNothing);
        }
        explicit operator bool() const noexcept { return static_cast<bool>(gate_); }

        /// Reports the call's outcome and releases the permit. A streamed result keeps the permit until it has been
        /// read.
        void settle(Result<Output>& output);
        /// Reports how reading a streamed result ended; abandoning it early does not count for or against the source.
        void read_out(CallSignal signal);

    private:
        friend class SourceGate;
        Permit(LocalPtr<SourceGate> gate, Breaker::Ticket ticket, bool counts) noexcept
            : gate_(std::move(gate)), ticket_(ticket), counts_(counts) {}
        void give_back(CallSignal signal);

        LocalPtr<SourceGate> gate_;
        Breaker::Ticket ticket_;
        bool counts_ = false;   // counts for the breaker: the source was up when the call began
        bool settled_ = false;  // reported to the breaker; only the concurrency slot is still held
    };

    /// Fast path: a permit if one is free now.
    Permit try_enter(const Source& source) {
        const auto ticket = breaker_.admit(breaker_.state() == BreakerState::kClosed ? TimePoint{} : coarse_now());
        if (!ticket) [[unlikely]]
            return {};
        if (!limiter_.try_enter()) [[unlikely]] {
            breaker_.settle(*ticket, CallSignal::kNothing, TimePoint{});
            return {};
        }
        return Permit(LocalPtr(this), *ticket, source.state() == SourceState::kReady);
    }
    /// Waits for a permit. kConnection with reason circuit_open or circuit_testing; kLimit with reason busy: all of
    /// them say when to retry.
    Task<Result<Permit>> enter(const Context& ctx, const Source& source);

    /// Checks the rate limits of the source and the tool: zero, or the time until both have a token. `tool` is empty
    /// for calls that are not about one. commit_rate() takes the tokens.
    Duration rate_wait(std::string_view tool, TimePoint now);
    void commit_rate() noexcept;
    bool has_rates() const noexcept { return limits_.rate.limited() || !limits_.tool_rates.empty(); }

    const RetryOptions& retry() const noexcept { return limits_.retry; }
    const std::string& source() const noexcept { return source_; }
    GateStatus status() const;
    /// Closes the breaker on the operator's request.
    void reset() { breaker_.reset(); }
    /// Applies new limits; the source's health state is kept.
    void configure(const SourceLimits& limits);

private:
    friend class Permit;
    void note_failure(const Error& error);
    void on_change(BreakerState from, BreakerState to);
    Error broken() const;
    const Rate* tool_rate(std::string_view tool) const noexcept;

    std::string source_;
    SourceLimits limits_;
    Observer* observer_;
    Breaker breaker_;
    ConcurrencyLimiter limiter_;
    TokenBucket bucket_;
    BucketTable tool_buckets_;
    TokenBucket* to_take_[2] = {};  // set by rate_wait() for commit_rate()
    Loop::Alarm recovery_;
    std::string cause_;  // the last failure, shortened
};

/// Classifies an error of a source for the breaker.
CallSignal signal_of(const Error& error) noexcept;

}  // namespace gantry::gateway
