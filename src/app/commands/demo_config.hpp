#pragma once

#include "app/config/config.hpp"

namespace gantry::app {

/// The configuration of `--demo`: the sample tools, and a real MCP server if one is installed. Downloads nothing.
Config demo_config();

}  // namespace gantry::app
