#include "gateway/resilience/source_gate.hpp"

#include "base/try.hpp"
#include "gateway/policy/glob.hpp"
#include "gateway/resilience/refusal.hpp"

namespace gantry::gateway {
namespace {

/// Retry hint when the actual waiting time is unknown.
constexpr Duration kBusyPause = seconds(1);

std::string in_seconds(Duration duration) {
    return std::to_string(std::chrono::ceil<seconds>(duration).count()) + " s";
}

/// Holds the permit until the result has been read; how reading ends is how the call ended.
class PermitStream final : public OutputStream {
public:
    PermitStream(SourceGate::Permit permit, std::unique_ptr<OutputStream> stream)
        : permit_(std::move(permit)), stream_(std::move(stream)) {}
    Task<Result<std::optional<std::string_view>>> next(const Context& ctx) override {
        auto piece = co_await stream_->next(ctx);
        if (!piece) {
            permit_.read_out(signal_of(piece.error()));
        } else if (!*piece) {
            permit_.read_out(CallSignal::kAnswered);
        }
        co_return piece;
    }

private:
    SourceGate::Permit permit_;
    std::unique_ptr<OutputStream> stream_;
};

}  // namespace

CallSignal signal_of(const Error& error) noexcept {
    if (error.rpc() != nullptr) return CallSignal::kAnswered;
    switch (error.code()) {
        case ErrorCode::kConnection:
        case ErrorCode::kOutcomeUnknown: return CallSignal::kLost;
        case ErrorCode::kTimeout:
        case ErrorCode::kParse:
        case ErrorCode::kProtocol: return CallSignal::kFailed;
        default: return CallSignal::kNothing;
    }
}

SourceGate::SourceGate(std::string source, const SourceLimits& limits, Observer* observer)
    : source_(std::move(source)),
      limits_(limits),
      observer_(observer),
      breaker_(limits.breaker),
      limiter_(limits.concurrency),
      bucket_(limits.rate, TimePoint{}) {
    breaker_.watch([this](BreakerState from, BreakerState to) { on_change(from, to); });
}

void SourceGate::Permit::settle(Result<Output>& output) {
    if (!gate_) return;
    if (output && output->stream) {
        // A test call ends when its answer begins: a slow reader must not block others from a healthy source.
        if (gate_->breaker_.state() != BreakerState::kClosed) {
            gate_->breaker_.settle(ticket_, counts_ ? CallSignal::kAnswered : CallSignal::kNothing, coarse_now());
            settled_ = true;
        }
        output->stream = std::make_unique<PermitStream>(std::move(*this), std::move(output->stream));
        return;
    }
    if (!output && counts_) gate_->note_failure(output.error());
    give_back(output ? CallSignal::kAnswered : signal_of(output.error()));
}

void SourceGate::note_failure(const Error& error) {
    constexpr std::size_t kLongest = 300;
    const CallSignal signal = signal_of(error);
    if (signal != CallSignal::kLost && signal != CallSignal::kFailed) return;
    cause_ = error.message();
    for (const Error* inner = error.cause(); inner != nullptr; inner = inner->cause())
        cause_ += ": " + inner->message();
    if (cause_.size() > kLongest) cause_.resize(kLongest);
}

void SourceGate::Permit::read_out(CallSignal signal) {
    if (!gate_) return;
    const bool broke_off = signal == CallSignal::kLost || signal == CallSignal::kFailed;
    if (settled_ && broke_off && gate_->breaker_.state() == BreakerState::kClosed) {
        // The test succeeded but the stream failed later: count it as a separate failure.
        ticket_ = *gate_->breaker_.admit(TimePoint{});
        settled_ = false;
    }
    give_back(signal);
}

void SourceGate::Permit::give_back(CallSignal signal) {
    // Moved out first: what follows may resume waiters.
    const auto gate = std::move(gate_);
    if (!counts_) signal = CallSignal::kNothing;
    if (!settled_) gate->breaker_.settle(ticket_, signal, signal == CallSignal::kAnswered ? TimePoint{} : coarse_now());
    gate->limiter_.leave();
}

Task<Result<SourceGate::Permit>> SourceGate::enter(const Context& ctx, const Source& source) {
    const LocalPtr<SourceGate> self(this);
    if (breaker_.state() == BreakerState::kClosed) {
        if (auto entered = co_await limiter_.enter(ctx); !entered) {
            GANTRY_CO_CHECK(ctx.check());
            if (entered.error().code() != ErrorCode::kLimit) co_return fail(broken());
            co_return fail(refusal(ErrorCode::kLimit, "server '" + source_ + "' is busy: " + entered.error().message(),
                                   "busy", source_, kBusyPause));
        }
    } else if (!limiter_.try_enter()) {
        co_return fail(broken());
    }
    const auto ticket = breaker_.admit(coarse_now());
    if (!ticket) {
        limiter_.leave();
        co_return fail(broken());
    }
    co_return Permit(self, *ticket, source.state() == SourceState::kReady);
}

Error SourceGate::broken() const {
    if (breaker_.state() != BreakerState::kOpen)
        return refusal(ErrorCode::kConnection,
                       "server '" + source_ + "' failed repeatedly and is being tested; try again shortly",
                       "circuit_testing", source_, kBusyPause);
    const Duration left = std::max(breaker_.recovers_at() - coarse_now(), Duration::zero());
    return refusal(ErrorCode::kConnection,
                   "server '" + source_ + "' failed " + std::to_string(breaker_.failures()) +
                       " times in a row; circuit breaker open, try again in " + in_seconds(left),
                   "circuit_open", source_, left);
}

void SourceGate::on_change(BreakerState from, BreakerState to) {
    if (to == BreakerState::kOpen) {
        // While the breaker is open there is nothing to wait for.
        limiter_.send_away();
        recovery_.arm(
            Loop::current(), Deadline(breaker_.recovers_at()),
            [](void* self) {
                auto& gate = *static_cast<SourceGate*>(self);
                gate.breaker_.recover(std::max(coarse_now(), gate.breaker_.recovers_at()));
            },
            this);
    } else {
        recovery_.disarm();
    }
    if (observer_ != nullptr)
        observer_->breaker_changed({.source = source_,
                                    .from = from,
                                    .to = to,
                                    .failures = breaker_.failures(),
                                    .retry_in = to == BreakerState::kOpen ? limits_.breaker.recovery : Duration{}});
}

const Rate* SourceGate::tool_rate(std::string_view tool) const noexcept {
    for (const auto& [pattern, rate] : limits_.tool_rates) {
        if (glob_match(pattern, tool)) return rate.limited() ? &rate : nullptr;
    }
    return nullptr;
}

Duration SourceGate::rate_wait(std::string_view tool, TimePoint now) {
    Duration longest{};
    to_take_[0] = limits_.rate.limited() ? &bucket_ : nullptr;
    to_take_[1] = nullptr;
    if (to_take_[0] != nullptr) longest = bucket_.wait(now);
    if (const Rate* rate = tool.empty() ? nullptr : tool_rate(tool)) {
        to_take_[1] = tool_buckets_.of(tool, *rate, now);
        longest = std::max(longest, to_take_[1] == nullptr ? kBusyPause : to_take_[1]->wait(now));
    }
    return longest;
}

void SourceGate::commit_rate() noexcept {
    for (TokenBucket* bucket : to_take_) {
        if (bucket != nullptr) bucket->take();
    }
}

GateStatus SourceGate::status() const {
    GateStatus status{.source = source_,
                      .breaker = breaker_.state(),
                      .failures = breaker_.failures(),
                      .cause = breaker_.state() == BreakerState::kClosed ? std::string() : cause_,
                      .running = limiter_.running(),
                      .waiting = limiter_.waiting()};
    if (status.breaker == BreakerState::kOpen)
        status.retry_in = std::max(breaker_.recovers_at() - coarse_now(), Duration::zero());
    return status;
}

void SourceGate::configure(const SourceLimits& limits) {
    if (!(limits.rate == limits_.rate)) bucket_ = TokenBucket(limits.rate, TimePoint{});
    if (limits.tool_rates != limits_.tool_rates) tool_buckets_.clear();
    limits_ = limits;
    breaker_.configure(limits.breaker);
    limiter_.configure(limits.concurrency);
}

}  // namespace gantry::gateway
