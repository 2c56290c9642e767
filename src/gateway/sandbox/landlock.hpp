#pragma once

#include "gateway/sandbox/levels.hpp"
#include "io/process/confinement.hpp"

namespace gantry::gateway::sandbox {

/// Adds file rules as far as Landlock `version` supports them: strict reads only listed paths, standard reads
/// everything; both write only listed paths. False: the version is too old for that, and nothing was added.
bool add_landlock(process::Confinement& confinement, const Rules& rules, int version);

}  // namespace gantry::gateway::sandbox
