#pragma once

#include <cstdint>

namespace gantry {

/// How many tasks the current loop has resumed so far. Unchanged between two looks: nothing else has run in between,
/// so the time that passed was spent by the task that looks.
std::uint64_t loop_steps() noexcept;

/// How often the current loop has asked the kernel for news.
std::uint64_t loop_turns() noexcept;

}  // namespace gantry
