#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gantry::cli {

/// A command from outside this folder, e.g. the gateway's `serve`: part of the same help, parsing and completion.
struct ExtraCommand {
    std::string name;
    std::string description;
    std::string example;
    /// Adds the command's options; the variables they are bound to must outlive the run.
    std::function<void(CLI::App& command)> describe;
    /// Returns the exit code.
    std::function<int()> run;
    /// Receives the words after `--`, before run(). Unset: the command rejects them.
    std::function<void(std::vector<std::string> words)> take_words = {};
    /// The heading of `gantry help` it is listed under; empty: not listed.
    std::string group = "Commands";
    /// Runs until stopped, whether or not its standard output has a reader.
    bool is_service = false;
};
using ExtraCommands = std::span<const ExtraCommand>;

}  // namespace gantry::cli
