#pragma once

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry events`: what happens in a running gateway.
cli::ExtraCommand events_command();

}  // namespace gantry::app
