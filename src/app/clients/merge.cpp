#include "app/clients/merge.hpp"

#include "app/clients/server_text.hpp"
#include "app/config/edit_yaml.hpp"
#include "app/config/yaml.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

constexpr int kMostNumbers = 1000;

/// A server as the settings of its entry, without its name.
Result<JsonObject> settings_of(const gateway::McpServerSpec& server) {
    const auto document = parse_yaml("servers:\n" + server_text(server));
    const Json* entry = document ? document->tree.at_pointer("/servers/0") : nullptr;
    if (entry == nullptr || !entry->is_object())
        return fail(ErrorCode::kInternal, server.name + " cannot be written as YAML");
    JsonObject settings = *entry->if_object();
    settings.erase("name");
    return settings;
}

/// Whether the entry contains all of these settings, whatever else it contains.
bool covers(const Json& entry, const JsonObject& settings) {
    for (const char* key : {"command", "args", "url"}) {
        const Json* theirs = entry.find(key);
        const Json* ours = settings.find(key);
        if ((theirs == nullptr) != (ours == nullptr) || (theirs != nullptr && *theirs != *ours)) return false;
    }
    return true;
}

/// The name to add it under; empty: it is already present.
Result<std::string> free_name(std::string_view text, const std::string& wished, const JsonObject& settings) {
    for (int n = 1; n < kMostNumbers; ++n) {
        const std::string name = n == 1 ? wished : wished.substr(0, 60) + "-" + std::to_string(n);
        GANTRY_TRY(const Json there, server_in(text, name));
        if (there.is_null()) return name;
        if (covers(there, settings)) return std::string();
    }
    return fail(ErrorCode::kLimit, "too many servers called " + wished);
}

}  // namespace

Result<std::string> merge_servers(std::string_view text, Converted& converted) {
    std::string out(text);
    std::vector<gateway::McpServerSpec> added;
    for (gateway::McpServerSpec& server : converted.servers) {
        GANTRY_TRY(const JsonObject settings, settings_of(server));
        GANTRY_TRY(const std::string name, free_name(out, server.name, settings));
        if (name.empty()) {
            converted.notes.push_back("'" + server.name + "' is already configured; left as it is");
            continue;
        }
        if (name != server.name)
            converted.notes.push_back("'" + server.name + "' is taken; imported as '" + name + "'");
        GANTRY_TRY(out, add_server(out, name, settings));
        server.name = name;
        added.push_back(std::move(server));
    }
    converted.servers = std::move(added);
    return out;
}

}  // namespace gantry::app
