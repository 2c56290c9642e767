#pragma once

#include <string>

#include "gantry/json.hpp"

namespace gantry::schema {

/// The type of one property in the usual notation: "number", "string[]", "string|null", "\"red\"|\"blue\"". "any" if
/// the schema does not specify one. `root` is the whole schema, for resolving references. Bounded in length and depth
/// for any schema.
std::string type_text(const Json& root, const Json& property);

/// The property of that name of an object schema; null if there is none.
const Json* property_of(const Json& schema, std::string_view name);

}  // namespace gantry::schema
