#include "app/commands/demo_config.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace gantry::app {
namespace {

bool on_path(const char* program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (!folder.empty() && ::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
    }
    return false;
}

}  // namespace

Config demo_config() {
    Config config;
    config.demo_tools = true;
    gateway::McpServerSpec everything{.name = "everything"};
    if (on_path("mcp-server-everything")) {
        everything.command = "mcp-server-everything";
        everything.args = {"stdio"};
    } else {
        return config;
    }
    // A child gets none of our environment except what is passed explicitly.
    if (const char* path = std::getenv("PATH")) everything.env.emplace("PATH", path);
    if (const char* home = std::getenv("HOME")) everything.env.emplace("HOME", home);
    config.servers.push_back(std::move(everything));
    return config;
}

}  // namespace gantry::app
