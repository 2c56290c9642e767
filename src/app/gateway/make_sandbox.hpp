#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/config/config.hpp"
#include "gateway/sandbox/sandbox.hpp"

namespace gantry::app {

/// Where things are for the servers of this configuration. Hidden from them, besides what always is: the state folder,
/// the configuration file itself, and what secrets are read from. The folders that hold these files are locked.
gateway::sandbox::Places places_of(const Config& config, const std::filesystem::path& state_dir);

/// What local servers are kept in. `check_places`: whether the state folder is where it was.
std::shared_ptr<gateway::sandbox::LocalSandbox> make_sandbox(
    gateway::sandbox::Places places, std::function<Result<void>()> check_places,
    std::function<void(const std::string& server, const std::string& what)> on_note);

}  // namespace gantry::app
