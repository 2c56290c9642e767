#pragma once

#include <string>
#include <string_view>

#include "app/clients/convert.hpp"

namespace gantry::app {

/// Adds the imported servers to a configuration text; comments, order and layout of the rest stay. A server that is
/// already present is skipped, one whose name is taken gets a number; both are noted. `converted` keeps what was added.
Result<std::string> merge_servers(std::string_view text, Converted& converted);

}  // namespace gantry::app
