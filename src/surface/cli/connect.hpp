#pragma once

#include "gantry/client.hpp"
#include "surface/cli/options.hpp"
#include "surface/cli/print.hpp"

namespace gantry::cli {

/// The connect options given on the command line, with handlers that ask the person at the terminal. The server itself
/// stays empty if it is one of a configuration.
ConnectOptions connect_options(const Options& options, const Printer& printer);

/// Draws progress on one line of stderr; draws nothing when that is not a terminal.
std::function<void(const mcp::Progress&)> progress_line();
/// Clears the line progress was drawn on, if there is one.
void end_progress_line();

}  // namespace gantry::cli
