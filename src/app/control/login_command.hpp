#pragma once

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry login`: an OAuth login at a server of a running gateway.
cli::ExtraCommand login_command();

}  // namespace gantry::app
