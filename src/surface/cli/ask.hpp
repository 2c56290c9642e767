#pragma once

#include "gantry/mcp/elicitation.hpp"
#include "surface/cli/print.hpp"

namespace gantry::cli {

/// Asks a person at the terminal what a server wants to know. Without a terminal the answer is "cancel".
/// Answers that do not fit their field are asked for again; an empty line takes the default or skips.
Result<mcp::ElicitResult> ask_person(const Printer& printer, const std::string& server,
                                     const mcp::ElicitParams& params);

}  // namespace gantry::cli
