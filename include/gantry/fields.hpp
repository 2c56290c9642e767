#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gantry {

/// Names and values in order: header fields, environment variables.
using Fields = std::vector<std::pair<std::string, std::string>>;

}  // namespace gantry
