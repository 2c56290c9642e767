#include "app/gateway/make_sandbox.hpp"

namespace gantry::app {

gateway::sandbox::Places places_of(const Config& config, const std::filesystem::path& state_dir) {
    gateway::sandbox::Places places = gateway::sandbox::places_in(state_dir.string());
    const auto hide = [&places](const std::filesystem::path& path) {
        std::error_code failed;
        const std::string found = std::filesystem::weakly_canonical(path, failed).string();
        // A folder that contains the user's home or working directory is not hidden for what else is in it.
        const bool lived_in = gateway::sandbox::is_in(places.cwd, found) || gateway::sandbox::is_in(places.home, found);
        if (!path.empty() && !failed && !lived_in) places.secrets.push_back(found);
    };
    hide(config.file);
    hide(config.secrets.env_file);
    hide(config.secrets.vault.folder);
    if (!config.secrets.files) return places;
    for (const std::string& file : config.secrets.files->files()) hide(file);
    for (const std::string& folder : config.secrets.files->folders())
        // The state folder is hidden entirely.
        if (!gateway::sandbox::is_in(folder, places.state)) places.locked.push_back(folder);
    return places;
}

std::shared_ptr<gateway::sandbox::LocalSandbox> make_sandbox(
    gateway::sandbox::Places places, std::function<Result<void>()> check_places,
    std::function<void(const std::string& server, const std::string& what)> on_note) {
    return std::make_shared<gateway::sandbox::LocalSandbox>(gateway::sandbox::Options{
        .places = std::move(places), .check_places = std::move(check_places), .on_note = std::move(on_note)});
}

}  // namespace gantry::app
