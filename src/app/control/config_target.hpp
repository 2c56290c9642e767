#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/control/asking.hpp"

namespace gantry::app {

/// Selects the configuration that a command changes.
struct ConfigChoice {
    /// --config; empty: that of the running gateway, otherwise gantry.yaml in the current folder.
    std::string file;
    GatewayChoice gateway = {};
};

/// A configuration file and the running gateways that use it.
struct ConfigTarget {
    std::filesystem::path file;
    std::vector<ControlClient> gateways = {};
};

/// Adds --config, --state-dir, --pid and --json.
void add_config_choice(CLI::App& command, ConfigChoice& choice);

/// kNotFound: no gateway is running and there is no file. With `may_create` the file need not exist yet.
Result<ConfigTarget> find_config(const ConfigChoice& choice, bool may_create);

/// Changes the file by `edit`, which receives its text. The file is replaced atomically, and only by a valid one. Then
/// the gateways reload it; an error says whether the file has been changed.
Result<void> change_config(const ConfigTarget& target,
                           const std::function<Result<std::string>(const std::string& text)>& edit);

}  // namespace gantry::app
