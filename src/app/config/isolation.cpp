#include "app/config/isolation.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace gantry::app {

namespace {

using gateway::HomeFolder;
using gateway::Isolation;
using gateway::IsolationLevel;
using gateway::NetworkAccess;

constexpr std::pair<std::string_view, IsolationLevel> kLevels[] = {
    {"off", IsolationLevel::kOff}, {"standard", IsolationLevel::kStandard}, {"strict", IsolationLevel::kStrict}};

/// "example.com", "*.example.com", "10.0.0.7:8080", "[::1]:80".
bool is_host(std::string_view text) {
    if (text.starts_with("*.")) text.remove_prefix(2);
    return !text.empty() && text.size() <= 260 && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view(".-_:[]").contains(static_cast<char>(c));
    });
}

/// A word, or a list of hosts.
struct Network {
    NetworkAccess access = NetworkAccess::kOpen;
    std::vector<std::string> hosts = {};
};
Setting<Network> parse_network(const Json& json) {
    if (json == Json("open")) return Network{.access = NetworkAccess::kOpen};
    if (json == Json("none")) return Network{.access = NetworkAccess::kNone};
    auto hosts = json.is_array() ? read_texts(json) : std::unexpected("");
    if (!hosts || !std::ranges::all_of(*hosts, is_host))
        return std::unexpected(
            "expected open, none, or a list of host names, such as example.com, *.example.com or example.com:8443");
    const NetworkAccess access = hosts->empty() ? NetworkAccess::kNone : NetworkAccess::kListed;
    return Network{.access = access, .hosts = *std::move(hosts)};
}
constinit const Kind<Network> kNetwork{
    &parse_network,
    [] {
        const Json host =
            JsonObject{{"type", "string"}, {"pattern", R"(^(\*\.)?[A-Za-z0-9._:\[\]-]+$)"}, {"maxLength", 262}};
        return Json(JsonObject{{"anyOf", JsonArray{JsonObject{{"enum", JsonArray{"open", "none"}}},
                                                   JsonObject{{"type", "array"}, {"items", host}}}}});
    },
    [](const Network&) { return Json(); }, "`open`, `none`, or list of hosts"};

void read_network(Section& section, Isolation& isolation) {
    std::optional<Network> network;
    section.read("network", network, kNetwork,
                 About("Hosts the program may reach.").by_default("`open`; with `strict` `none`"));
    if (!network) return;
    isolation.network = network->access;
    isolation.hosts = std::move(network->hosts);
}

void read_paths(Section& section, std::string_view key, std::vector<std::string>& paths, const About& about) {
    section.read_list(key, paths, about);
    const auto fits = [](const std::string& path) {
        return path.starts_with('/') || path == "~" || path.starts_with("~/") || path.starts_with("${");
    };
    if (const auto node = section.find(key); node && !std::ranges::all_of(paths, fits))
        node->refuse("expected paths that begin with / or ~/");
}

void read_names(Section& section, std::vector<std::string>& names) {
    section.read_list(
        "env", names,
        About("Variables of Gantry's environment that are passed on; never credentials.").by_default("none"));
    if (const auto node = section.find("env"); node && std::ranges::any_of(names, gateway::is_credential_name))
        node->refuse("credentials are not passed on by name; pass what the server needs in its env: NAME: ${NAME}");
}

void read_limits(Section& section, Isolation& isolation) {
    std::optional<std::size_t> memory;
    std::optional<std::size_t> processes;
    section.read("memory", memory, read_size,
                 About("Memory of the program and everything it starts; a program that needs more is ended.")
                     .by_default("unlimited; with `strict` `1GB`"));
    section.read("processes", processes, read_positive,
                 About("Processes and threads.").by_default("`4096`; with `strict` `256`"));
    isolation.memory = memory.value_or(0);
    isolation.processes = processes.value_or(0);
}

void read_details(const Node& node, Isolation& isolation) {
    Section section(node, "off, standard, strict, or a map with a level and details");
    section.choose<IsolationLevel>("level", isolation.level, {kLevels[0], kLevels[1], kLevels[2]},
                                   "How far the program is isolated.");
    read_network(section, isolation);
    read_paths(section, "read", isolation.read,
               About("Paths that may be read in addition to what programs need to run; hidden ones only if named "
                     "here.")
                   .by_default("none"));
    read_paths(section, "write", isolation.write,
               About("Paths that may be written in addition to the server's own home.").by_default("none"));
    read_names(section, isolation.env);
    section.choose<HomeFolder>("home", isolation.home, {{"own", HomeFolder::kOwn}, {"host", HomeFolder::kHost}},
                               "`own`: a folder in the state folder; `host`: the user's home.");
    section.read("gateway", isolation.gateway, read_bool,
                 "`true`: the program may call this gateway, and through it other servers' tools.");
    read_limits(section, isolation);
}

}  // namespace

void read_isolation(Section& server, Isolation& isolation) {
    const auto node = server.find(
        "isolation", About("What the program is kept from: a level, or a map with details.").by_default("`standard`"));
    if (!node) return;
    if (node->shape != nullptr) {
        std::vector<std::string_view> words;
        for (const auto& [word, level] : kLevels) words.push_back(word);
        node->shape->may_be_word(words);
    }
    const std::string* text = node->json.if_string();
    const auto* level = text == nullptr ? std::end(kLevels)
                                        : std::ranges::find(kLevels, *text, [](const auto& one) { return one.first; });
    if (level != std::end(kLevels))
        isolation.level = level->second;
    else
        read_details(*node, isolation);
}

}  // namespace gantry::app
