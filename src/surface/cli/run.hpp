#pragma once

#include <string>
#include <vector>

#include "surface/cli/extra_command.hpp"
#include "surface/cli/surroundings.hpp"

namespace gantry::cli {

/// The whole command line program; `arguments` without the program's name. Returns the exit code.
int run(const std::vector<std::string>& arguments, ExtraCommands extras = {}, const Surroundings& surroundings = {});

}  // namespace gantry::cli
