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

/// An entry of a list keeps its identity when others are added or moved, so it is recorded by its name.
Node listed_entry(const Node& node, std::size_t index) {
    const Node entry = node.element(index);
    const auto name = read_name(entry.json.find("name") == nullptr ? Json() : *entry.json.find("name"));
    return name ? entry.as_entry(node.place_of(*name).key) : entry;
}

/// The same for a map from names, which is also what a list with these names means.
Node mapped_entry(const Node& node, const std::string& name, const Json& value) {
    const Node member = node.member(name, value);
    Node entry = member.as_entry(member.place.key);
    if (entry.record != nullptr) entry.record->note(entry.place_of("name"), entry.reload, {}, "", name);
    return entry;
}

void add_servers(const Node& node, Config& config) {
    // References of servers are resolved when connecting.
    if (node.shape != nullptr) node.shape->without_references();
    each_named(node, "servers", [&](Node entry, const std::string* name) {
        entry.reload = Reload::kReconnect;
        entry.record = nullptr;  // servers are compared as a whole, since an old one may serve a new configuration
        read_server(entry, name, config);
    });
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
        if (node.record != nullptr)
            node.record->note(node.place_of("servers"), node.reload, {}, Json(JsonArray()),
                              read_texts.show(group.servers));
    } else {
        Section section(node);
        if (!node.json.is_object()) return;
        if (given_name == nullptr) {
            section.read("name", group.name, read_name,
                         About("Last part of the group's path.").by_default("required in a list"));
            section.require("name", "needs a name");
        }
        section.read_list(
            "servers", group.servers,
            About("Servers that are in it with everything they offer; in a map from names, a group may be "
                  "just this list.")
                .by_default("none"));
        section.read_patterns("tools", group.tools, About("Tools that are in it, by public name.").by_default("none"));
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
        for (std::size_t i = 0; i < list->size(); ++i) read(listed_entry(node, i), nullptr);
    } else if (const JsonObject* map = node.json.if_object()) {
        if (map->size() > kMaxServers) return node.refuse("more than 1000 entries");
        for (const auto& [key, value] : *map) {
            if (auto name = read_name(Json(key))) {
                read(mapped_entry(node, key, value), &key);
            } else {
                node.member(key, value).refuse("as a name, " + name.error());
            }
        }
    } else if (!node.json.is_null()) {
        node.refuse("expected a list of " + std::string(what) + ", or a map from their names");
    }
}

void read_all_servers(Section& top, Config& config) {
    static constexpr std::pair<const char*, const char*> kForms[] = {
        {"servers", "The MCP servers: a list of maps with names, or a map from names."},
        {"mcpServers", "The name that desktop clients and editors have for `servers`."},
        {"mcps", "The name that agent jobs have for `servers`."},
        {"context_servers", "The name that some editors have for `servers`."}};
    for (const auto& [key, description] : kForms) {
        if (const auto node = top.find(key, description)) add_servers(*node, config);
    }
    if (const auto node = top.find("services", "The form that agent programs have.")) {
        Section services(*node);
        if (const auto mcp = services.find("mcp", "The same as `servers`.")) add_servers(*mcp, config);
    }
    read_manifest(top, config);
    bool enabled = true;
    top.read("enabled", enabled, read_bool, "`false`: no server is used, as if none were configured.");
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
