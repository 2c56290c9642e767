#pragma once

#include <cstdint>

#include "io/process/reaper/plan.hpp"
#include "io/process/reaper/protocol.hpp"

namespace gantry::process::reaper {

/// The steps of a Confinement; empty if there is none.
struct Plan {
    const char* begin = nullptr;
    const char* end = nullptr;
};
/// Limits to monitor while the child runs; 0: none.
struct Watch {
    std::uint64_t memory = 0;
    std::uint64_t tasks = 0;
};

/// Reports `kind` with a descriptor attached. Negative errno if it cannot be sent.
long send_socket(Kind kind, long fd);

/// Reads kPlan, which may be closed afterwards.
Plan read_plan();
/// Performs the steps of the first process. False: a required one failed; `failure` has the step and the reason.
bool confine_family(const Plan& plan, Watch& watch, Report& failure);
/// Performs the steps of the child.
bool confine_child(const Plan& plan, Report& failure);

}  // namespace gantry::process::reaper
