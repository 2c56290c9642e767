#pragma once

#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry add`, `remove`, `enable`, `disable`: change the servers of a configuration and of the gateway running with
/// it. `gantry restart`: reconnects a server of a running gateway.
std::vector<cli::ExtraCommand> server_commands();

}  // namespace gantry::app
