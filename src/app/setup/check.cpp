#include "app/setup/check.hpp"

#include <iostream>
#include <sstream>

#include "app/config/config.hpp"

namespace gantry::app {
namespace {

Json lines_of(const std::string& text) {
    JsonArray lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.emplace_back(line);
    return lines;
}

int print_json(bool valid, const Json& faults, const Json& warnings, const Json& servers) {
    std::cout
        << Json(JsonObject{{"valid", valid}, {"faults", faults}, {"warnings", warnings}, {"servers", servers}}).pretty()
        << std::endl;
    return static_cast<int>(valid ? cli::ExitCode::kDone : cli::ExitCode::kUsage);
}

}  // namespace

int check(const CheckRequest& asked) {
    const auto config = load_config(asked.file);
    if (!config) {
        if (asked.json) return print_json(false, lines_of(config.error().message()), JsonArray(), JsonArray());
        return report(config.error());
    }
    JsonArray names;
    for (const auto& server : config->servers) names.emplace_back(server.name);
    if (asked.json) {
        return print_json(true, JsonArray(), JsonArray(config->warnings.begin(), config->warnings.end()), names);
    }
    for (const std::string& warning : config->warnings) std::cerr << "gantry: " << warning << '\n';
    std::cout << asked.file << " is right: " << names.size() << (names.size() == 1 ? " server, " : " servers, ")
              << config->groups.size() << (config->groups.size() == 1 ? " group" : " groups") << std::endl;
    return 0;
}

}  // namespace gantry::app
