#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "surface/cli/extra_command.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

/// Option values as text, before they are checked and split.
struct Raw {
    Options options;
    std::vector<std::string> headers;
    std::vector<std::string> env;
    std::vector<std::string> prompt_arguments;
    std::string color = "auto";
    std::string log_level;
    double timeout_seconds = 30;
};

/// The whole command line, described once: for parsing, for --help and for shell completion. `raw` must
/// outlive the app.
std::vector<std::pair<CLI::App*, Command>> describe(CLI::App& app, Raw& raw);
/// The commands that were brought along, in their order.
std::vector<CLI::App*> describe_extras(CLI::App& app, ExtraCommands extras);

}  // namespace gantry::cli
