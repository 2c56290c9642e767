#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::app {

/// A text as a YAML scalar: plain if no reader can take it for anything else, otherwise quoted as in JSON.
std::string yaml_scalar(std::string_view text);

/// A value on one line, as JSON, which is valid flow-style YAML.
std::string flow_yaml(const Json& value);

/// The members as indented lines. The first line is not indented and the last has no line end; `line_end` separates
/// them. Lists stay on one line, nested maps are indented by two.
std::string block_yaml(const JsonObject& members, std::size_t indent, std::string_view line_end);

}  // namespace gantry::app
