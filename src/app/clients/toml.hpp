#pragma once

#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// The subset of TOML found in other programs' settings: tables, arrays of tables, dotted and quoted keys, all four
/// kinds of strings, numbers, booleans, arrays, inline tables. Dates become strings. Errors name the line, never a
/// value.
Result<Json> parse_toml(std::string_view text);

}  // namespace gantry::app
