#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/config/config.hpp"
#include "gateway/sandbox/sandbox.hpp"

namespace gantry::app {

/// The locations for the servers of this configuration. In addition to what is always hidden, the state folder, the
/// configuration file and the files of secrets are hidden from them; the folders that hold these files are locked.
gateway::sandbox::Places places_of(const Config& config, const std::filesystem::path& state_dir);

/// The sandbox for local servers. `check_places` verifies that the state folder is still the same.
std::shared_ptr<gateway::sandbox::LocalSandbox> make_sandbox(
    gateway::sandbox::Places places, std::function<Result<void>()> check_places,
    std::function<void(const std::string& server, const std::string& what)> on_note);

}  // namespace gantry::app
