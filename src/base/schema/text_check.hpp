#pragma once

#include <string_view>

#include "base/schema/program.hpp"

namespace gantry::schema {

/// Validates a text against a schema without building a tree.
///
/// True: run_program() would accept the value. False: unknown, call it. Supports the rules most schemas consist of
/// (types, properties, required, additionalProperties, items, bounds, lengths, string enums); any other applicable rule
/// yields false. Precondition: `json` is one valid JSON value.
bool text_fits(const Program& program, std::string_view json) noexcept;

}  // namespace gantry::schema
