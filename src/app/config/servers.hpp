#pragma once

#include "app/config/config.hpp"
#include "app/config/section.hpp"

namespace gantry::app {

/// All settings of the file.
void read_config(const Node& root, Config& config);

/// The servers in every form they are brought in: `servers` (or `mcps`, `mcpServers`, `context_servers`),
/// `services.mcp`, and `config.servers` of an extension's manifest with its `enabled`.
void read_all_servers(Section& top, Config& config);
/// One server, in servers.cpp's list or map: a new kind of setting of a server is read there.
void read_server(const Node& node, const std::string* given_name, Config& config);
/// `groups:` as a list of maps with names, or as a map from names to maps or to lists of servers.
void read_groups(const Node& node, Config& config);

/// A list of maps, or a map whose keys are names. `read(node, name)`: the name is null in a list. `what` is plural.
using ReadNamed = std::function<void(const Node& entry, const std::string* name)>;
void each_named(const Node& node, std::string_view what, const ReadNamed& read);

}  // namespace gantry::app
