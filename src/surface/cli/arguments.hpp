#pragma once

#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::cli {

/// Whether the operands of `call` are KEY=VALUE …, whose types only the tool's schema knows.
bool are_pairs(const std::vector<std::string>& given);

/// The operands of `call` as the tool's arguments: one JSON object, @FILE, - for standard input, nothing for {}; or
/// KEY=VALUE …, where VALUE is what the input schema says (text as it stands, everything else as JSON) and KEY:=JSON
/// says it itself. `schema` is null when unknown: every VALUE is then text. Errors name keys, never values.
Result<JsonObject> tool_arguments(const std::vector<std::string>& given, const Json& schema);

}  // namespace gantry::cli
