#pragma once

#include <string>
#include <string_view>

#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// A server as an entry of `servers:` in a configuration, with what differs from the defaults.
std::string server_text(const gateway::McpServerSpec& server);

/// A text as YAML has it: plain where it cannot be misread, else quoted.
std::string yaml_text(std::string_view text);

}  // namespace gantry::app
