#pragma once

#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// As much of TOML as settings of other programs need: tables, arrays of tables, dotted and quoted keys, texts of all
/// four kinds, numbers, booleans, arrays, inline tables. Dates come as texts. A fault is told with its line and no
/// value.
Result<Json> parse_toml(std::string_view text);

}  // namespace gantry::app
