#pragma once

#include <cstdint>

#include "io/process/reaper/plan.hpp"
#include "io/process/reaper/protocol.hpp"

namespace gantry::process::reaper {

/// The steps of a Confinement; empty where there is none.
struct Plan {
    const char* begin = nullptr;
    const char* end = nullptr;
};
/// What is to be watched while the child runs; 0: nothing.
struct Watch {
    std::uint64_t memory = 0;
    std::uint64_t tasks = 0;
};

/// Reads kPlan, which may be closed afterwards.
Plan read_plan();
/// The steps of the first process. False: a required one failed, and `failure` says which and why.
bool confine_family(const Plan& plan, Watch& watch, Report& failure);
/// The steps of the child.
bool confine_child(const Plan& plan, Report& failure);

}  // namespace gantry::process::reaper
