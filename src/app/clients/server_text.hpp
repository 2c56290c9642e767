#pragma once

#include <string>

#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// A server as an entry of `servers:` in a configuration; contains only settings that differ from the defaults.
std::string server_text(const gateway::McpServerSpec& server);

}  // namespace gantry::app
