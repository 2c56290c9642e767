#pragma once

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry events`: the live events of a running gateway.
cli::ExtraCommand events_command();

}  // namespace gantry::app
