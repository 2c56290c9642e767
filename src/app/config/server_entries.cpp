#include "app/config/server_entries.hpp"

namespace gantry::app {
namespace {

std::string_view name_of(const YamlNode& entry) {
    for (const std::string_view key : {"name", "alias"}) {
        if (const YamlNode* const value = entry.find(key)) return value->text;
    }
    return {};
}

}  // namespace

std::vector<ServerList> server_lists(const YamlNode& root) {
    std::vector<ServerList> lists;
    const auto add = [&lists](const YamlNode& parent, std::string pointer, std::string_view key) {
        const YamlNode* const node = parent.find(key);
        if (node == nullptr) return;
        pointer.append("/").append(key);
        lists.push_back({.pointer = std::move(pointer),
                         .key = &parent.keys[static_cast<std::size_t>(node - parent.items.data())],
                         .node = node});
    };
    for (const std::string_view key : {"servers", "mcpServers", "mcps", "context_servers"}) add(root, "", key);
    if (const YamlNode* const services = root.find("services")) add(*services, "/services", "mcp");
    if (const YamlNode* const manifest = root.find("config")) add(*manifest, "/config", "servers");
    return lists;
}

std::optional<ServerEntry> find_server(const std::vector<ServerList>& lists, std::string_view name) {
    for (const ServerList& list : lists) {
        const YamlNode& node = *list.node;
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            const YamlNode* const key = node.keys.empty() ? nullptr : &node.keys[i];
            if ((key != nullptr ? std::string_view(key->text) : name_of(node.items[i])) == name)
                return ServerEntry{.list = &list, .index = i, .key = key, .node = &node.items[i]};
        }
    }
    return std::nullopt;
}

}  // namespace gantry::app
