#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "surface/cli/extra_command.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

/// Option values as text, before validation and splitting.
struct Raw {
    Options options;
    std::vector<std::string> headers;
    std::vector<std::string> env;
    std::vector<std::string> prompt_arguments;
    std::string transport = "auto";
    std::string era = "auto";
    std::string color = "auto";
    std::string log_level;
    double timeout_seconds = 0;  // 0: not given
};

/// Describes the whole command line once, for parsing, help and shell completion. `raw` must outlive the app. The order
/// is that of `gantry help`: first the commands that talk to a server, then the extra ones, then those about the
/// program itself.
std::vector<std::pair<CLI::App*, Command>> describe(CLI::App& app, Raw& raw);
std::vector<std::pair<CLI::App*, Command>> describe_about(CLI::App& app, Raw& raw);
/// The extra commands, in their order.
std::vector<CLI::App*> describe_extras(CLI::App& app, ExtraCommands extras);

}  // namespace gantry::cli
