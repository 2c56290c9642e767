#pragma once

#include <string>
#include <string_view>

#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry logs`: the last lines of a running gateway's log, and new ones.
cli::ExtraCommand logs_command();

/// A line of the log, which is JSON, for people: "2026-11-17 10:22:28 warning  files: is down  server=files". Without
/// control characters; what is no such line stays as it is.
std::string show_log_line(std::string_view json);

}  // namespace gantry::app
