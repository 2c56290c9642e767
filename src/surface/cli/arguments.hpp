#pragma once

#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::cli {

/// Whether the operands of `call` are KEY=VALUE …, whose types come from the tool's schema.
bool are_pairs(const std::vector<std::string>& given);

/// Converts the operands of `call` to the tool's arguments: one JSON object, @FILE, - for standard input, nothing for
/// {}; or KEY=VALUE …, where the input schema determines the type of VALUE (text is taken literally, everything else as
/// JSON), and KEY:=JSON. `schema` is null when unknown: every VALUE is then text. Errors name keys, never values.
Result<JsonObject> tool_arguments(const std::vector<std::string>& given, const Json& schema);

}  // namespace gantry::cli
