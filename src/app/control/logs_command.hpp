#pragma once

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry logs`: the latest lines of a running gateway's log, and new ones.
cli::ExtraCommand logs_command();

}  // namespace gantry::app
