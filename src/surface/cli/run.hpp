#pragma once

#include <string>
#include <vector>

namespace gantry::cli {

/// The whole command line program; `arguments` without the program's name. Returns the exit code.
int run(const std::vector<std::string>& arguments);

}  // namespace gantry::cli
