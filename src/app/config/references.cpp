#include "app/config/references.hpp"

#include <algorithm>
#include <string>

namespace gantry::app {
namespace {

constexpr std::string_view kResolvedLater[] = {"servers",  "mcpServers", "mcps",   "context_servers",
                                               "services", "config",     "inputs", "setup_instructions"};

constexpr std::string_view kServerKeys[] = {"servers", "mcpServers", "mcps", "context_servers", "services", "config"};

void resolve(Json& json, const Node& at, const gateway::Lookup& lookup) {
    if (std::string* text = json.if_string()) {
        if (!gateway::has_references(*text)) return;
        auto expanded = gateway::expand(*text, lookup);
        if (!expanded) return at.refuse(expanded.error().message());
        *text = *std::move(expanded);
    } else if (JsonArray* list = json.if_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) resolve((*list)[i], at.element(i), lookup);
    } else if (JsonObject* map = json.if_object()) {
        for (auto& [key, value] : *map) resolve(value, at.member(key, value), lookup);
    }
}

/// References of servers are resolved when connecting, but one that is not closed is a fault already now.
void check_closed(const Json& json, const Node& at) {
    if (const std::string* text = json.if_string()) {
        if (gateway::has_open_reference(*text))
            at.refuse("'${' without '}': close the reference, or write $${ for a plain ${");
    } else if (const JsonArray* list = json.if_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) check_closed((*list)[i], at.element(i));
    } else if (const JsonObject* map = json.if_object()) {
        for (const auto& [key, value] : *map) check_closed(value, at.member(key, value));
    }
}

}  // namespace

void check_server_references(const Json& root, Faults& faults) {
    const JsonObject* top = root.if_object();
    if (top == nullptr) return;
    const Node whole{root, "", "", faults};
    for (const auto& [key, value] : *top) {
        if (std::ranges::find(kServerKeys, key) != std::end(kServerKeys)) check_closed(value, whole.member(key, value));
    }
}

void resolve_references(Json& root, const gateway::Lookup& lookup, Faults& faults) {
    JsonObject* top = root.if_object();
    if (top == nullptr) return;
    const Node whole{root, "", "", faults};
    for (auto& [key, value] : *top) {
        if (std::ranges::find(kResolvedLater, key) != std::end(kResolvedLater)) continue;
        // References in the settings of the lookup itself can only be looked up in the environment.
        resolve(value, whole.member(key, value), key == "secrets" ? gateway::environment() : lookup);
    }
}

}  // namespace gantry::app
