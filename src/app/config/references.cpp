#include "app/config/references.hpp"

#include <algorithm>
#include <string>

namespace gantry::app {
namespace {

constexpr std::string_view kResolvedLater[] = {"servers",  "mcpServers", "mcps",   "context_servers",
                                               "services", "config",     "inputs", "setup_instructions"};

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

}  // namespace

void resolve_references(Json& root, const gateway::Lookup& lookup, Faults& faults) {
    JsonObject* top = root.if_object();
    if (top == nullptr) return;
    const Node whole{root, "", "", faults};
    for (auto& [key, value] : *top) {
        if (std::ranges::find(kResolvedLater, key) != std::end(kResolvedLater)) continue;
        // What says where others lead can lead to the environment only.
        resolve(value, whole.member(key, value), key == "secrets" ? gateway::environment() : lookup);
    }
}

}  // namespace gantry::app
