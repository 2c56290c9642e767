#pragma once

#include "app/config/config.hpp"
#include "app/config/section.hpp"

namespace gantry::app {

/// `servers:` as a list of maps with names, or as a map from names; `mcpServers:` is the latter.
void read_servers(const Node& node, Config& config);
/// `groups:` as a list of maps with names, or as a map from names to maps or to lists of servers.
void read_groups(const Node& node, Config& config);

}  // namespace gantry::app
