#include "app/surroundings/running_gateway.hpp"

#include <algorithm>
#include <cctype>

#include "app/control/control_client.hpp"
#include "app/instances/instances.hpp"
#include "base/try.hpp"
#include "base/version.hpp"
#include "gantry/client.hpp"
#include "gateway/state/state_folder.hpp"

namespace gantry::app {
namespace {

constexpr Duration kStatusTime = seconds(10);
/// Timeout for shell completion: no candidates are better than late ones.
constexpr Duration kCompletionTime = milliseconds(700);

Result<Json> status_of_gateway(const std::string& state_dir, int pid, Duration timeout) {
    std::filesystem::path folder = state_dir;
    if (folder.empty()) {
        GANTRY_TRY(folder, gateway::default_state_folder());
    }
    GANTRY_TRY(const Instance instance, choose_instance(folder, pid));
    return ControlClient(instance.socket, timeout).get("/v1/status");
}

Result<std::string> url_in(const Json& status) {
    std::string url(status.string_at("url"));
    if (url.empty())
        return fail(ErrorCode::kUnsupported, "the running gateway serves standard input and output, not a URL");
    // A wildcard address cannot be connected to.
    for (const std::string_view everywhere : {"://0.0.0.0:", "://[::]:"}) {
        if (const auto at = url.find(everywhere); at != std::string::npos)
            url.replace(at, everywhere.size(), "://127.0.0.1:");
    }
    return url;
}

/// Names that are safe to show in a shell; others can still be typed.
bool is_plain(std::string_view name) {
    constexpr std::string_view kMarks = "_-./:";
    return !name.empty() && name.size() <= 256 && std::ranges::all_of(name, [&](unsigned char c) {
        return std::isalnum(c) != 0 || kMarks.contains(static_cast<char>(c));
    });
}

std::vector<std::string> servers_in(const Json& status) {
    std::vector<std::string> names;
    const Json* servers = status.find("servers");
    if (servers == nullptr || !servers->is_array()) return names;
    for (const Json& server : *servers->if_array()) names.emplace_back(server.string_at("name"));
    return names;
}

std::vector<std::string> tools_at(const std::string& url) {
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(kCompletionTime);
    auto client = connect({.server = HttpServer{.url = url},
                           .era_memory = EraMemory::kNone,
                           .self = {.name = "gantry", .version = std::string(kVersion)},
                           .connect_timeout = limit,
                           .total_timeout = limit});
    if (!client) return {};
    const auto tools = client->list_tools();
    std::vector<std::string> names;
    if (!tools) return names;
    for (const Tool& tool : *tools) names.push_back(tool.name());
    return names;
}

}  // namespace

Result<std::string> running_gateway_url(const cli::Options& options) {
    GANTRY_TRY(const Json status, status_of_gateway(options.state_dir, options.pid, kStatusTime));
    return url_in(status);
}

std::vector<std::string> running_gateway_names(const cli::Offers& offers) {
    const auto status = status_of_gateway(offers.state_dir, offers.pid, kCompletionTime);
    if (!status) return {};
    const auto url = url_in(*status);
    std::vector<std::string> names;
    if (offers.names == "servers") {
        names = servers_in(*status);
    } else if (url) {
        names = tools_at(*url);
    }
    std::erase_if(names, [](const std::string& name) { return !is_plain(name); });
    return names;
}

}  // namespace gantry::app
