#include "gateway/model/source_spec.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gantry::gateway {
namespace {

constexpr Duration kUsual = seconds(10);
/// Includes time for downloading the server.
constexpr Duration kFetching = seconds(60);

std::string_view program_name(std::string_view command) {
    return command.substr(command.rfind('/') + 1);
}

bool fetches(std::string_view command) {
    static constexpr std::array<std::string_view, 10> kRunners = {"npx", "npm", "pnpm", "yarn",   "bunx",
                                                                  "uvx", "uv",  "pipx", "docker", "podman"};
    return std::ranges::find(kRunners, program_name(command)) != kRunners.end();
}

}  // namespace

std::string endpoint_path(const McpServerSpec& spec) {
    if (!spec.path.empty()) return spec.path;
    return spec.transport == WireWish::kSse ? "/sse" : "/mcp";
}

bool runs_container(const McpServerSpec& spec) {
    static constexpr std::array<std::string_view, 3> kEngines = {"docker", "podman", "nerdctl"};
    return std::ranges::find(kEngines, program_name(spec.command)) != kEngines.end();
}

Duration connect_limit(const McpServerSpec& spec) {
    if (spec.connect_timeout) return *spec.connect_timeout;
    return fetches(spec.command) ? kFetching : kUsual;
}

}  // namespace gantry::gateway
