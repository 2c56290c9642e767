#pragma once

#include "gateway/sandbox/levels.hpp"
#include "io/process/confinement.hpp"

namespace gantry::gateway::sandbox {

/// Rules on files as far as Landlock `version` knows them: strict reads only what is listed; standard reads everything;
/// both write only what is listed. False: this version is too old for that, and nothing was added.
bool add_landlock(process::Confinement& confinement, const Rules& rules, int version);

}  // namespace gantry::gateway::sandbox
