#pragma once

#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry audit verify` and `gantry audit show`.
std::vector<cli::ExtraCommand> audit_commands();

}  // namespace gantry::app
