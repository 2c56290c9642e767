#pragma once

#include "app/config/config.hpp"

namespace gantry::app {

/// What `--demo` runs: the demo tools, and a real MCP server where one is installed. Fetches nothing.
Config embedded_config();

}  // namespace gantry::app
