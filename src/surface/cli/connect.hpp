#pragma once

#include "gantry/client.hpp"
#include "surface/cli/options.hpp"
#include "surface/cli/print.hpp"

namespace gantry::cli {

/// Everything the command line says about the server, with a person at the terminal behind the handlers.
ConnectOptions connect_options(const Options& options, const Printer& printer);

/// Draws progress on stderr, on one line when that is a terminal.
std::function<void(const mcp::Progress&)> progress_line();
/// Ends the line progress was drawn on, if there is one.
void end_progress_line();

}  // namespace gantry::cli
