#pragma once

#include <string_view>

#include "base/schema/program.hpp"

namespace gantry::schema {

/// Holds a text against a schema without making a tree of it.
///
/// True: run_program() would accept the value. False: nothing is known, ask it. The rules most schemas consist of are
/// read here (types, properties, required, additionalProperties, items, bounds, lengths, options that are texts);
/// whatever else a schema says makes the answer false where it applies. `json` has been checked: one valid value.
bool text_fits(const Program& program, std::string_view json) noexcept;

}  // namespace gantry::schema
