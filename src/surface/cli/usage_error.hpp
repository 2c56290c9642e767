#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gantry::cli {

/// A usage error, in a sentence that says what to write instead, and the command it concerns.
struct UsageError {
    std::string text;
    /// "gantry help tools"
    std::string see;
};

/// Translates the parser's error. `app` is the one that parsed.
UsageError usage_error(const CLI::App& app, const CLI::ParseError& error);

/// "a, b or c"
std::string alternatives(const std::vector<std::string>& words);

}  // namespace gantry::cli
