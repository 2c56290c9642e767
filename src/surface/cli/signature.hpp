#pragma once

#include <string>

#include "gantry/client.hpp"
#include "surface/cli/options.hpp"
#include "surface/cli/print.hpp"

namespace gantry::cli {

/// "add(a: number, b: number, note?: string)": a tool and its arguments in the order of its schema.
std::string signature(const Tool& tool);

/// A sample call of the tool for pasting into a shell: its required arguments with values of the right type, and the
/// server as given on the command line.
std::string example_call(const Tool& tool, const Options& options);

/// Prints everything about one tool: signature, description, arguments, example, annotations, schemas.
void show_tool(const Tool& tool, const Options& options, const Printer& printer);

}  // namespace gantry::cli
