#pragma once

#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry serve` and `gantry stdio`.
std::vector<cli::ExtraCommand> gateway_commands();

}  // namespace gantry::app
