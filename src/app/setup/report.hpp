#pragma once

#include "gantry/error.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {

/// The configuration file used by default.
inline constexpr const char* kUsualFile = "gantry.yaml";

/// Prints the error to standard error and returns its exit code.
int report(const Error& error);
/// The same for a configuration file that cannot be used: always counts as wrong usage, whatever is wrong with the
/// file.
int report_file(const Error& error);

}  // namespace gantry::app
