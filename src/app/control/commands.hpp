#pragma once

#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// Commands that query a running gateway: status, top, reload, breakers, approvals, events, logs.
std::vector<cli::ExtraCommand> control_commands();

}  // namespace gantry::app
