#pragma once

#include "gateway/sandbox/levels.hpp"
#include "io/process/confinement.hpp"

namespace gantry::gateway::sandbox {

/// Standard: the host's file system with the hidden paths covered, and a /proc of the child's own processes. `at` is an
/// empty folder used as a mount point.
void add_mounts(process::Confinement& confinement, const Rules& rules, const std::string& at);

/// Strict: a private root file system that holds only what the rules list. `at` is the empty folder to build it on.
void add_own_root(process::Confinement& confinement, const Rules& rules, const std::string& at);

/// Starts the child's pids at an arbitrary number, so that servers that tell lock files apart by pid do not all run as
/// pid 3. `proc` is the child's own.
void scatter_pids(process::Confinement& confinement, const std::string& proc);

}  // namespace gantry::gateway::sandbox
