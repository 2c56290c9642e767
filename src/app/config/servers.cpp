#include "app/config/servers.hpp"

#include <algorithm>

namespace gantry::app {

namespace {

using gateway::GroupSpec;
using gateway::McpServerSpec;

constexpr std::size_t kMaxServers = 1000;

/// Describes both forms, without a file that says which one is used.
void describe_named(Shape& shape, const Node& node, std::string_view what, const ReadNamed& read) {
    static const std::string kSomeName = "name";
    const std::string one(what.substr(0, what.size() - 1));
    shape.may_be(JsonObject{{"type", "null"}});
    const auto listed = shape.element().definition("listed_" + one);
    if (listed.is_new) read(Node{node.json, "", "", node.faults, &listed.shape}, nullptr);
    const auto named = shape.member(read_name.schema()).definition(one);
    if (named.is_new) read(Node{node.json, "", "", node.faults, &named.shape}, &kSomeName);
}

void add_servers(const Node& node, Config& config) {
    // References of servers are resolved when connecting.
    if (node.shape != nullptr) node.shape->without_references();
    each_named(node, "servers", [&](const Node& entry, const std::string* name) { read_server(entry, name, config); });
}

/// An extension's manifest: the servers are its configuration, the rest is for its host.
void read_manifest(Section& top, Config& config) {
    if (const auto node = top.find("config", "An extension's manifest: its configuration.")) {
        Section section(*node);
        if (const auto servers = section.find("servers", "The same as `servers` of the file.")) {
            add_servers(*servers, config);
        }
    }
    for (const std::string_view key : {"id", "name", "version", "description", "entrypoint", "setup_instructions",
                                       "depends_on", "agent", "agent_id", "agent_config", "events", "schedules"}) {
        top.ignore(key);
        top.only_with(key, "config", "only in an extension's manifest, beside config");
    }
}

void read_group(const Node& node, const std::string* given_name, Config& config) {
    GroupSpec group{.name = given_name == nullptr ? std::string() : *given_name};
    if (given_name != nullptr && node.shape != nullptr) {
        node.shape->may_be(JsonObject{{"type", "array"}, {"items", read_text.schema()}, {"minItems", 1}});
    }
    if (given_name != nullptr && node.json.is_array()) {
        for (std::size_t i = 0; i < node.json.if_array()->size(); ++i) {
            const Node element = node.element(i);
            if (auto name = read_text(element.json)) {
                group.servers.push_back(*std::move(name));
            } else {
                element.refuse(name.error());
            }
        }
    } else {
        Section section(node);
        if (!node.json.is_object()) return;
        if (given_name == nullptr) {
            section.read("name", group.name, read_name, "Part of the group's URL.");
            section.require("name", "needs a name");
        }
        section.read_list("servers", group.servers, "Servers whose things are all in it.");
        section.read_list("tools", group.tools, "Patterns; tools whose public names fit are in it.");
    }
    if (group.servers.empty() && group.tools.empty()) node.refuse("needs servers or tools");
    const auto same_name = [&](const GroupSpec& other) { return other.name == group.name; };
    if (!group.name.empty() && std::ranges::any_of(config.groups, same_name)) {
        return node.refuse("there is already a group '" + group.name + "'");
    }
    config.groups.push_back(std::move(group));
}

}  // namespace

void each_named(const Node& node, std::string_view what, const ReadNamed& read) {
    if (node.shape != nullptr) return describe_named(*node.shape, node, what, read);
    if (const JsonArray* list = node.json.if_array()) {
        if (list->size() > kMaxServers) return node.refuse("more than 1000 entries");
        for (std::size_t i = 0; i < list->size(); ++i) read(node.element(i), nullptr);
    } else if (const JsonObject* map = node.json.if_object()) {
        if (map->size() > kMaxServers) return node.refuse("more than 1000 entries");
        for (const auto& [key, value] : *map) {
            const Node member = node.member(key, value);
            if (auto name = read_name(Json(key))) {
                read(member, &key);
            } else {
                member.refuse("as a name, " + name.error());
            }
        }
    } else if (!node.json.is_null()) {
        node.refuse("expected a list of " + std::string(what) + ", or a map from their names");
    }
}

void read_all_servers(Section& top, Config& config) {
    static constexpr std::pair<std::string_view, std::string_view> kForms[] = {
        {"servers", "The MCP servers: a list of maps with names, or a map from names."},
        {"mcpServers", "The same as `servers`, as desktop clients and editors call it."},
        {"mcps", "The same as `servers`, as agent jobs call it."},
        {"context_servers", "The same as `servers`, as some editors call it."}};
    for (const auto& [key, description] : kForms) {
        if (const auto node = top.find(key, description)) add_servers(*node, config);
    }
    if (const auto node = top.find("services", "The form of agent programs.")) {
        Section services(*node);
        if (const auto mcp = services.find("mcp", "The same as `servers`.")) add_servers(*mcp, config);
    }
    read_manifest(top, config);
    bool enabled = true;
    top.read("enabled", enabled, read_bool, "false: no server at all, as if none were here.");
    if (!enabled && !config.servers.empty()) {
        config.servers.clear();
        config.warnings.emplace_back("enabled is false: no server is started");
    }
}

void read_groups(const Node& node, Config& config) {
    each_named(node, "groups", [&](const Node& entry, const std::string* name) { read_group(entry, name, config); });
    for (const GroupSpec& group : config.groups) {
        for (const std::string& server : group.servers) {
            if (std::ranges::find(config.servers, server, &McpServerSpec::name) == config.servers.end()) {
                config.warnings.push_back("group '" + group.name + "' names a server that does not exist: " + server);
            }
        }
    }
}

}  // namespace gantry::app
