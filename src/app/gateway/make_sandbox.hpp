#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/config/config.hpp"
#include "gateway/ports/sandbox.hpp"

namespace gantry::app {

/// What local servers of this configuration are kept in. Hidden from them, besides what always is: the state folder,
/// the configuration file itself, and what secrets are read from.
std::shared_ptr<gateway::Sandbox> make_sandbox(
    const Config& config, const std::string& state_dir,
    std::function<void(const std::string& server, const std::string& what)> on_note);

}  // namespace gantry::app
