#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Limits on single calls, whatever they call.
struct GuardLimits {
    /// Validates arguments against the tool's schema before the server sees them.
    bool validate_arguments = true;
    /// Arguments that need more steps than this, or are longer, are not validated on the loop (see CostlyChecks).
    std::uint64_t loop_steps = 20'000;
    std::size_t loop_bytes = 64u << 10;
    /// Lower step limit that applies to a source for `costly_for` after one of its calls exceeded loop_steps: spending
    /// the full budget again on every call would delay other callers.
    std::uint64_t loop_steps_if_costly = 1000;
    Duration costly_for = std::chrono::seconds(10);
    /// Steps after which arguments are refused.
    std::uint64_t max_steps = 10'000'000;
    /// Concurrent calls per principal.
    std::size_t max_running = 4096;
};

}  // namespace gantry::gateway
