#pragma once

#include <functional>
#include <span>
#include <string>

namespace CLI {
class App;
}

namespace gantry::cli {

/// A command somebody else brings along, e.g. the gateway's `serve`: part of the same help, parsing and completion.
struct ExtraCommand {
    std::string name;
    std::string description;
    std::string example;
    /// Adds the command's options; what they are bound to must outlive the run.
    std::function<void(CLI::App& command)> describe;
    /// Returns the exit code.
    std::function<int()> run;
};
using ExtraCommands = std::span<const ExtraCommand>;

}  // namespace gantry::cli
