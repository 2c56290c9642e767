#pragma once

#include "gantry/error.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {

/// What is used where no file is named.
inline constexpr const char* kUsualFile = "gantry.yaml";

/// Tells the error on standard error; gives the exit code for it.
int report(const Error& error);

}  // namespace gantry::app
