#pragma once

#include "gantry/mcp/elicitation.hpp"
#include "surface/cli/print.hpp"

namespace gantry::cli {

/// Asks the person at the terminal for a server's elicitation. Without a terminal the answer is "cancel". Invalid
/// answers are asked for again; an empty line takes the default or skips the field.
Result<mcp::ElicitResult> ask_person(const Printer& printer, const std::string& server,
                                     const mcp::ElicitParams& params);

}  // namespace gantry::cli
