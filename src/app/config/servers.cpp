#include "app/config/servers.hpp"

#include <algorithm>
#include <cctype>

namespace gantry::app {

namespace {

using gateway::EraWish;
using gateway::GroupSpec;
using gateway::McpServerSpec;
using gateway::Sharing;
using gateway::WireWish;

constexpr std::size_t kMaxServers = 1000;

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

/// Set by the gateway for every request, from what it is about.
bool is_reserved_header(std::string_view name) {
    static constexpr std::string_view kReserved[] = {"content-length", "transfer-encoding", "connection",
                                                     "host",           "mcp-session-id",    "mcp-protocol-version",
                                                     "mcp-method",     "mcp-name"};
    return std::ranges::any_of(kReserved, [name](std::string_view reserved) { return same_word(name, reserved); });
}
bool is_header_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
    });
}

/// Every member of a map of texts. Names that may hold more than a name are not repeated.
template <class Use>
void each_text(const std::optional<Node>& node, const Use& use) {
    if (!node) return;
    if (!node->json.is_object()) return node->refuse("expected a map from names to texts");
    for (const auto& [name, value] : *node->json.if_object()) {
        const Node member = node->member(name, value);
        auto text = read_text(value);
        if (!text) {
            member.refuse(text.error());
        } else if (const std::string_view fault = use(name, *std::move(text)); !fault.empty()) {
            node->faults.add(member.pointer, node->path, std::string(fault));
        }
    }
}

void read_env(Section& section, McpServerSpec& server) {
    each_text(section.find("env"), [&server](const std::string& name, std::string value) -> std::string_view {
        if (name.empty() || name.contains('=') || name.contains('\0')) return "a variable's name has no '='";
        server.env.emplace(name, std::move(value));
        return {};
    });
}

void read_headers(Section& section, McpServerSpec& server) {
    each_text(section.find("headers"), [&server](const std::string& name, std::string value) -> std::string_view {
        if (!is_header_name(name)) return "a header's name is letters, digits and '-'";
        if (is_reserved_header(name)) return "this header is set by the gateway itself";
        if (value.find_first_of("\r\n") != std::string::npos) return "a header's value is one line";
        server.headers.emplace_back(name, std::move(value));
        return {};
    });
}

/// A program with its arguments may also be one list.
void read_command(Section& section, McpServerSpec& server) {
    if (const auto node = section.find("command"); node && node->json.is_array()) {
        std::vector<std::string> words;
        section.read_list("command", words);
        if (words.empty()) return node->refuse("expected a program");
        server.command = words.front();
        server.args.assign(words.begin() + 1, words.end());
    } else {
        section.read("command", server.command, read_text);
        if (node && server.command.empty()) node->refuse("expected a program");
    }
    std::vector<std::string> more;
    section.read_list("args", more);
    server.args.insert(server.args.end(), more.begin(), more.end());
}

void read_transport(Section& section, McpServerSpec& server) {
    // `type` is what other programs call it.
    for (const std::string_view key : {"transport", "type"}) {
        const auto node = section.find(key);
        bool over_pipe = false;
        if (node && node->json == Json("stdio")) {
            over_pipe = true;
        } else {
            section.choose<WireWish>(key, server.transport,
                                     {{"auto", WireWish::kAuto},
                                      {"http", WireWish::kStreamableHttp},
                                      {"streamable-http", WireWish::kStreamableHttp},
                                      {"streamableHttp", WireWish::kStreamableHttp},
                                      {"sse", WireWish::kSse}});
        }
        if (!node) continue;
        if (over_pipe && !section.has("command")) node->refuse("stdio needs a command");
        const bool over_http = server.transport != WireWish::kAuto;
        if (!over_pipe && over_http && section.has("command")) node->refuse("a command is always reached by stdio");
    }
}

void read_prefix(Section& section, McpServerSpec& server) {
    const auto node = section.find("prefix");
    if (!node) return;
    auto text = read_text(node->json);
    if (!text) return node->refuse("expected a text, or none");
    if (*text == "auto") return;
    server.prefix = *text == "none" ? std::string() : *std::move(text);
}

void check_shape(Section& section) {
    const bool child = section.has("command");
    const bool remote = section.has("url");
    if (child == remote) {
        section.node().refuse(child ? "has both a command and a url; a server is one or the other"
                                    : "needs a command (a program to start) or a url");
        return;
    }
    for (const std::string_view key : {"args", "env", "cwd"}) {
        if (const auto node = section.find(key); node && remote) node->refuse("only for a server with a command");
    }
    if (const auto node = section.find("headers"); node && child) node->refuse("only for a server with a url");
}

void read_server(const Node& node, const std::string* given_name, bool foreign, Config& config) {
    McpServerSpec server;
    server.timeout = config.timeout;
    server.max_result_bytes = config.max_result_bytes;
    bool disabled = false;
    {
        Section section(node);
        if (!node.json.is_object()) return;
        if (given_name != nullptr) {
            server.name = *given_name;
        } else if (const auto name = section.find("name")) {
            section.read("name", server.name, read_name);
        } else {
            node.refuse("needs a name");
        }
        read_command(section, server);
        read_env(section, server);
        section.read("cwd", server.cwd, read_text);
        section.read("url", server.url, read_url);
        read_headers(section, server);
        read_transport(section, server);
        read_prefix(section, server);
        section.read_list("allow", server.allow);
        section.read_list("deny", server.deny);
        section.read("timeout", server.timeout, read_duration);
        server.total_timeout = std::max(server.total_timeout, server.timeout);
        section.read("total_timeout", server.total_timeout, read_duration);
        section.choose<EraWish>("era", server.era,
                                {{"auto", EraWish::kAuto}, {"legacy", EraWish::kLegacy}, {"modern", EraWish::kModern}});
        section.choose<Sharing>("sharing", server.sharing,
                                {{"auto", Sharing::kAuto},
                                 {"shared", Sharing::kShared},
                                 {"per-principal", Sharing::kPerPrincipal},
                                 {"per-client", Sharing::kPerClient},
                                 {"per-call", Sharing::kPerCall},
                                 {"singleton", Sharing::kShared},
                                 {"transient", Sharing::kPerCall}});
        section.read("max_lanes", server.max_lanes, read_count);
        if (const auto lanes = section.find("max_lanes"); lanes && server.max_lanes == 0) lanes->refuse("at least 1");
        section.read("idle_close", server.idle_close, read_duration);
        section.read("max_result_bytes", server.max_result_bytes, read_size);
        section.read("disabled", disabled, read_bool);
        if (foreign) {
            for (const std::string_view key : {"description", "alwaysAllow", "autoApprove", "icon"})
                section.ignore(key);
        }
        check_shape(section);
    }
    const auto same_name = [&](const McpServerSpec& other) { return other.name == server.name; };
    if (!server.name.empty() && std::ranges::any_of(config.servers, same_name)) {
        node.refuse("there is already a server '" + server.name + "'");
        return;
    }
    if (disabled) {
        config.warnings.push_back("server '" + server.name + "' is disabled");
        return;
    }
    config.servers.push_back(std::move(server));
}

/// A list of maps, or a map whose keys are names. `read(node, name)`: the name is null in a list.
template <class Read>
void each_named(const Node& node, std::string_view what, const Read& read) {
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

void read_group(const Node& node, const std::string* given_name, Config& config) {
    GroupSpec group{.name = given_name == nullptr ? std::string() : *given_name};
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
            section.read("name", group.name, read_name);
            if (!section.has("name")) node.refuse("needs a name");
        }
        section.read_list("servers", group.servers);
        section.read_list("tools", group.tools);
    }
    if (group.servers.empty() && group.tools.empty()) node.refuse("needs servers or tools");
    const auto same_name = [&](const GroupSpec& other) { return other.name == group.name; };
    if (!group.name.empty() && std::ranges::any_of(config.groups, same_name)) {
        return node.refuse("there is already a group '" + group.name + "'");
    }
    config.groups.push_back(std::move(group));
}

}  // namespace

void read_servers(const Node& node, Config& config) {
    each_named(node, "servers",
               [&](const Node& entry, const std::string* name) { read_server(entry, name, name != nullptr, config); });
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
