#pragma once

#include "surface/cli/surroundings.hpp"

namespace gantry::app {

/// Running gateways and configurations, for the commands that talk to a server.
cli::Surroundings surroundings();

}  // namespace gantry::app
