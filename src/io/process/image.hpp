#pragma once

#include "gantry/error.hpp"

namespace gantry::process {

/// A descriptor of the reaper program, ready for execveat; opened once and cached.
Result<int> reaper_image();

}  // namespace gantry::process
