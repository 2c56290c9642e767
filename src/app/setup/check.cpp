#include "app/setup/check.hpp"

#include <iostream>
#include <sstream>

#include "app/config/config.hpp"
#include "surface/cli/print.hpp"

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
        return report_file(config.error());
    }
    JsonArray names;
    for (const auto& server : config->servers) names.emplace_back(server.name);
    if (asked.json) {
        return print_json(true, JsonArray(), JsonArray(config->warnings.begin(), config->warnings.end()), names);
    }
    for (const std::string& warning : config->warnings) std::cerr << "gantry: " << warning << '\n';
    std::cout << asked.file << " is valid: " << cli::counted(names.size(), "server") << ", "
              << cli::counted(config->groups.size(), "group") << std::endl;
    return 0;
}

}  // namespace gantry::app
