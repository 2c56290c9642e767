#pragma once

#include "app/config/config.hpp"

namespace gantry::app {

/// What runs without a configuration: the demo tools, and a real MCP server where one is installed.
Config embedded_config();

}  // namespace gantry::app
