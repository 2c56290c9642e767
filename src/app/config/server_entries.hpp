#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/yaml_spans.hpp"

namespace gantry::app {

/// A place in a configuration text that holds servers.
struct ServerList {
    /// JSON pointer into the tree of the same text.
    std::string pointer;
    const YamlNode* key = nullptr;
    const YamlNode* node = nullptr;
};

/// One server in such a list or map.
struct ServerEntry {
    const ServerList* list = nullptr;
    std::size_t index = 0;
    /// Null in a list.
    const YamlNode* key = nullptr;
    const YamlNode* node = nullptr;
};

/// Every place that holds, or could hold, servers, in the order in which the reader looks at them.
std::vector<ServerList> server_lists(const YamlNode& root);

/// Finds a server by its key in a map, or by `name` or `alias` in a list.
std::optional<ServerEntry> find_server(const std::vector<ServerList>& lists, std::string_view name);

}  // namespace gantry::app
