#pragma once

#include "app/config/config.hpp"
#include "app/config/section.hpp"

namespace gantry::app {

/// Reads all settings of the file.
void read_config(const Node& root, Config& config);

/// Reads the servers in every supported form: `servers` (or `mcps`, `mcpServers`, `context_servers`), `services.mcp`,
/// and `config.servers` of an extension's manifest with its `enabled`.
void read_all_servers(Section& top, Config& config);
/// Reads one server of a list or map; new settings of a server are added there.
void read_server(const Node& node, const std::string* given_name, Config& config);
/// Reads `groups:` as a list of maps with names, or as a map from names to maps or to lists of servers.
void read_groups(const Node& node, Config& config);

/// Reads a list of maps, or a map whose keys are names. `read(node, name)`: the name is null in a list. `what` is
/// plural.
using ReadNamed = std::function<void(const Node& entry, const std::string* name)>;
void each_named(const Node& node, std::string_view what, const ReadNamed& read);

}  // namespace gantry::app
