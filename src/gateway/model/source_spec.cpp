#include "gateway/model/source_spec.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gantry::gateway {
namespace {

constexpr Duration kUsual = seconds(10);
/// Includes time for downloading the server.
constexpr Duration kFetching = seconds(60);

bool fetches(std::string_view command) {
    static constexpr std::array<std::string_view, 10> kRunners = {"npx", "npm", "pnpm", "yarn",   "bunx",
                                                                  "uvx", "uv",  "pipx", "docker", "podman"};
    const std::string_view program = command.substr(command.rfind('/') + 1);
    return std::ranges::find(kRunners, program) != kRunners.end();
}

}  // namespace

Duration connect_limit(const McpServerSpec& spec) {
    if (spec.connect_timeout) return *spec.connect_timeout;
    return fetches(spec.command) ? kFetching : kUsual;
}

}  // namespace gantry::gateway
