#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Circuit breaker: stops calls to a source that keeps failing. Only calls count: not the source's start, not what the
/// guard refuses, and not a tool that ran and reported an error itself.
struct BreakerOptions {
    bool enabled = true;
    /// Consecutive failures that open the breaker.
    std::size_t threshold = 5;
    /// How long it stays open before test calls are let through.
    Duration recovery = seconds(30);
    /// Concurrent test calls while it is half open.
    std::size_t test_calls = 3;
    /// Successful test calls that close it.
    std::size_t successes = 1;

    bool operator==(const BreakerOptions&) const = default;
};

enum class BreakerState : std::uint8_t { kClosed, kOpen, kHalfOpen };
/// "closed", "open", "half-open".
std::string_view to_string(BreakerState state) noexcept;

/// How many calls a source runs concurrently, and how many may wait for a slot.
struct ConcurrencyLimits {
    /// 0: unlimited.
    std::size_t running = 1024;
    std::size_t waiting = 1024;
    /// Longest time a call waits.
    Duration queue_timeout = seconds(30);

    bool operator==(const ConcurrencyLimits&) const = default;
};

/// Rate limit: average calls per second and burst size. 0: unlimited.
struct Rate {
    double per_second = 0;
    double burst = 0;

    bool limited() const noexcept { return per_second > 0; }
    bool operator==(const Rate&) const = default;
};

struct RetryOptions {
    /// Attempts in all; 1 means no retry.
    std::size_t attempts = 3;
    /// First back-off; it doubles each time, with jitter.
    Duration first = milliseconds(200);
    Duration longest = seconds(5);
    /// Also retries calls that timed out, if the tool is idempotent.
    bool after_timeout = false;
    /// Trusts a tool that declares itself read-only or idempotent.
    bool trust_hints = true;

    bool operator==(const RetryOptions&) const = default;
};

/// The limits of one source.
struct SourceLimits {
    BreakerOptions breaker = {};
    ConcurrencyLimits concurrency = {};
    RetryOptions retry = {};
    /// Applies to all calls of the source together.
    Rate rate = {};
    /// Applies to each tool separately; the first pattern that matches the source's own name for it wins.
    std::vector<std::pair<std::string, Rate>> tool_rates = {};

    bool operator==(const SourceLimits&) const = default;
};

}  // namespace gantry::gateway
