#pragma once

#include <cstdint>

namespace gantry {

/// Number of tasks the current loop has resumed. If unchanged between two calls, nothing else has run in between,
/// so the elapsed time was spent by the calling task.
std::uint64_t loop_steps() noexcept;

/// Number of times the current loop has polled the kernel.
std::uint64_t loop_turns() noexcept;

}  // namespace gantry
