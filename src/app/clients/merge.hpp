#pragma once

#include <string>
#include <string_view>

#include "app/clients/convert.hpp"

namespace gantry::app {

/// A configuration text with the imported servers added; comments, order and layout of the rest stay. A server that is
/// there already is left out, one whose name is taken gets a number; both are noted. `converted` keeps what was added.
Result<std::string> merge_servers(std::string_view text, Converted& converted);

}  // namespace gantry::app
