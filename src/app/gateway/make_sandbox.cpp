#include "app/gateway/make_sandbox.hpp"

#include <filesystem>

#include "gateway/sandbox/sandbox.hpp"

namespace gantry::app {

std::shared_ptr<gateway::Sandbox> make_sandbox(
    const Config& config, const std::string& state_dir,
    std::function<void(const std::string& server, const std::string& what)> on_note) {
    gateway::sandbox::Places places = gateway::sandbox::places_in(state_dir);
    const auto hide = [&places](const std::filesystem::path& path) {
        std::error_code failed;
        const std::string found = std::filesystem::weakly_canonical(path, failed).string();
        // A folder people work in is not hidden for what else is in it.
        const bool lived_in = gateway::sandbox::is_in(places.cwd, found) || gateway::sandbox::is_in(places.home, found);
        if (!path.empty() && !failed && !lived_in) places.secrets.push_back(found);
    };
    hide(config.file);
    hide(config.secrets.env_file);
    hide(config.secrets.vault.folder);
    return std::make_shared<gateway::sandbox::LocalSandbox>(
        gateway::sandbox::Options{.places = std::move(places), .on_note = std::move(on_note)});
}

}  // namespace gantry::app
