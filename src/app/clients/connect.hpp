#pragma once

#include "app/clients/entry_edit.hpp"
#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry connect`.
cli::ExtraCommand connect_command();

}  // namespace gantry::app
