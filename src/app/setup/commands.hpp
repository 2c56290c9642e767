#pragma once

#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// Commands for working on a configuration: `init`, `check`, `doctor`, `schema`, `secrets`, `import`, `connect`.
std::vector<cli::ExtraCommand> setup_commands();

}  // namespace gantry::app
