#pragma once

#include "io/worker.hpp"

namespace gantry::auth {

using gantry::Worker;

}  // namespace gantry::auth
