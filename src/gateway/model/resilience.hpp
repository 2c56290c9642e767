#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace gantry::gateway {

/// When calls to a source that keeps failing stop being made. Only calls count: not its start, not what the guard
/// refuses, not a tool that ran and says that it failed.
struct BreakerOptions {
    bool enabled = true;
    /// Failures without a success between them that open it.
    std::size_t threshold = 5;
    /// How long it stays open before test calls are let through.
    Duration recovery = seconds(30);
    /// Test calls at once while it is half open.
    std::size_t test_calls = 3;
    /// Successful ones that close it.
    std::size_t successes = 1;

    bool operator==(const BreakerOptions&) const = default;
};

enum class BreakerState : std::uint8_t { kClosed, kOpen, kHalfOpen };
/// "closed", "open", "half-open".
std::string_view to_string(BreakerState state) noexcept;

/// How many calls a source runs at once, and how many wait for it.
struct ConcurrencyLimits {
    /// 0: any number.
    std::size_t running = 1024;
    std::size_t waiting = 1024;
    /// How long one waits at most.
    Duration patience = seconds(30);

    bool operator==(const ConcurrencyLimits&) const = default;
};

/// So many per second on average, so many at once. 0: any number.
struct Rate {
    double per_second = 0;
    double burst = 0;

    bool limited() const noexcept { return per_second > 0; }
    bool operator==(const Rate&) const = default;
};

struct RetryOptions {
    /// Attempts in all; 1: a call is made once.
    std::size_t attempts = 3;
    /// The first pause; it doubles, and a part of it is chance.
    Duration first = milliseconds(200);
    Duration longest = seconds(5);
    /// Also calls that got no answer in time, if the tool is idempotent.
    bool after_timeout = false;
    /// Trust a tool that declares itself read-only or idempotent.
    bool trust_hints = true;

    bool operator==(const RetryOptions&) const = default;
};

/// All of these for one source.
struct SourceLimits {
    BreakerOptions breaker = {};
    ConcurrencyLimits concurrency = {};
    RetryOptions retry = {};
    /// All calls of the source together.
    Rate rate = {};
    /// Each tool by itself: the first pattern that fits the source's own name for it.
    std::vector<std::pair<std::string, Rate>> tool_rates = {};

    bool operator==(const SourceLimits&) const = default;
};

}  // namespace gantry::gateway
