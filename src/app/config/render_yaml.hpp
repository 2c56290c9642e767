#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::app {

/// A text as a YAML scalar: plain where no reader can take it for anything else, else quoted as in JSON.
std::string yaml_scalar(std::string_view text);

/// A value on one line; it is JSON, and therefore flow-style YAML.
std::string flow_yaml(const Json& value);

/// The members as indented lines. The first line has no indentation, the last one no line end; `line_end` separates
/// them. Lists stay on one line, maps are nested by two.
std::string block_yaml(const JsonObject& members, std::size_t indent, std::string_view line_end);

}  // namespace gantry::app
