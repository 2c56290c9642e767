#include "gateway/sandbox/engines.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnix = "unix://";
constexpr const char* kOfTheMachine[] = {"/run/docker.sock", "/var/run/docker.sock"};

bool is_socket(const std::string& path) {
    std::error_code ignored;
    return fs::is_socket(path, ignored);
}

std::string real(const std::string& path) {
    std::error_code failed;
    const fs::path found = fs::weakly_canonical(path, failed);
    return failed ? path : found.string();
}

std::string address_for(const process::Command& command, const Places& places) {
    for (const auto& [name, value] : command.env)
        if (name == "DOCKER_HOST") return value;
    return places.engine;
}

Engine docker_engine(const process::Command& command, const Places& places) {
    Engine engine{.sockets = {std::begin(kOfTheMachine), std::end(kOfTheMachine)}, .address = {}};
    if (const std::string address = address_for(command, places); !address.empty()) {
        engine.address = address;
        engine.sockets.clear();
        // Only a socket is exposed for it.
        if (const std::string path = address.substr(std::min(kUnix.size(), address.size()));
            address.starts_with(kUnix) && is_socket(path))
            engine.sockets.push_back(path);
        return engine;
    }
    if (std::ranges::any_of(engine.sockets, is_socket)) return engine;
    const std::string runtime = "/run/user/" + std::to_string(::geteuid());
    for (const std::string& own : {runtime + "/docker.sock", places.home + "/.docker/desktop/docker.sock"})
        if (is_socket(own)) return {.sockets = {own}, .address = std::string(kUnix) + own};
    return engine;
}

}  // namespace

Engine engine_of(const process::Command& command, const Places& places) {
    const std::string name = fs::path(command.program).filename().string();
    if (name == "docker" || name == "docker-compose") return docker_engine(command, places);
    if (name == "podman") return {.sockets = {"/run/podman"}, .address = {}};
    if (name == "nerdctl" || name == "ctr") return {.sockets = {"/run/containerd"}, .address = {}};
    return {};
}

void show_in_hidden(std::vector<std::string>& hide, const std::string& shown) {
    const std::string target = real(shown);
    std::vector<std::string> instead;
    std::erase_if(hide, [&](const std::string& hidden) {
        const std::string folder = real(hidden);
        if (!is_in(target, folder)) return false;
        for (std::string at = folder; at != target;) {
            const std::string next = target.substr(0, target.find('/', at.size() + 1));
            std::error_code failed;
            for (auto entry = fs::directory_iterator(at, failed); !failed && entry != fs::directory_iterator();
                 entry.increment(failed)) {
                std::error_code gone;
                // A link's target is not hidden because of the link.
                if (entry->path() != next && !entry->is_symlink(gone)) instead.push_back(entry->path().string());
            }
            at = next;
        }
        return true;
    });
    hide.insert(hide.end(), instead.begin(), instead.end());
}

}  // namespace gantry::gateway::sandbox
