#pragma once

#include "gateway/sandbox/levels.hpp"
#include "io/process/confinement.hpp"

namespace gantry::gateway::sandbox {

/// Standard: the machine as it is, with what is to be hidden covered and a /proc of the child's own processes. `at` is
/// an empty folder to build on.
void add_mounts(process::Confinement& confinement, const Rules& rules, const std::string& at);

/// Strict: a root of its own that holds what the rules list and nothing else. `at` is an empty folder to build it on.
void add_own_root(process::Confinement& confinement, const Rules& rules, const std::string& at);

/// Processes inside get numbers from somewhere in the middle, so that servers which tell each other's lock files apart
/// by pid do not all meet as number 3. `proc` is the child's own.
void scatter_pids(process::Confinement& confinement, const std::string& proc);

}  // namespace gantry::gateway::sandbox
