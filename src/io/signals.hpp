#pragma once

#include <span>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// Waits for one of `signals` and says which came, or ends with the context's error. Until then they do not have their
/// usual effect; afterwards they have it again, so that a second Ctrl-C ends a process that hangs.
Task<Result<int>> wait_for_signal(const Context& ctx, std::span<const int> signals);

}  // namespace gantry
