#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/config/config.hpp"
#include "app/gateway/gateway_app.hpp"
#include "base/redact/redactor.hpp"
#include "gantry/error.hpp"
#include "io/pinned_files.hpp"

namespace CLI {
class App;
}

namespace gantry::app {

/// The arguments of `gantry serve` and `gantry stdio`.
struct ServeArgs {
    std::string config;
    std::string listen;
    std::string state_dir;
    bool log_calls = false;
    bool show_stderr = false;
    bool once = false;
    bool no_watch = false;
    bool demo = false;
};

/// Declares the options that both commands have.
void add_common_options(CLI::App& command, ServeArgs& args);

/// Selects the default, gantry.yaml in the current folder, if no file is given. Nothing is downloaded or started
/// implicitly.
Result<void> choose_config_file(ServeArgs& args);

/// Loads the configuration and applies the arguments to it.
Result<Config> configuration_of(const ServeArgs& args, Redactor& redactor, const std::shared_ptr<PinnedFiles>& files);

/// Reduces the number of client connections to what `descriptors` open files allow. Servers and files need descriptors
/// too: fewer clients are better than a gateway that cannot reach its servers.
void fit_connections(Config& config, std::size_t descriptors);

/// What the gateway tells the operator goes to `log`, which must outlive the result.
Notes notes_for(const ServeArgs& args, std::shared_ptr<Redactor> redactor, gateway::events::Log& log);

}  // namespace gantry::app
