#pragma once

#include <string>

#include "gantry/client.hpp"
#include "surface/cli/options.hpp"
#include "surface/cli/print.hpp"

namespace gantry::cli {

/// "add(a: number, b: number, note?: string)": a tool and its arguments in the order of its schema.
std::string signature(const Tool& tool);

/// A call of the tool that can be pasted into a shell: its required arguments with values of the right kind, and the
/// server as the command line named it.
std::string example_call(const Tool& tool, const Options& options);

/// Everything about one tool for people: signature, description, arguments, example, annotations, schemas.
void show_tool(const Tool& tool, const Options& options, const Printer& printer);

}  // namespace gantry::cli
