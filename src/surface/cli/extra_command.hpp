#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

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
    /// Takes the words after `--`; unset: the command has no use for them.
    std::function<void(std::vector<std::string> words)> take_words = {};
};
using ExtraCommands = std::span<const ExtraCommand>;

}  // namespace gantry::cli
