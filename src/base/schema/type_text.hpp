#pragma once

#include <string>

#include "gantry/json.hpp"

namespace gantry::schema {

/// The type of one property as people write it: "number", "string[]", "string|null", "\"red\"|\"blue\"". "any" where
/// the schema does not say. `root` is the whole schema, which references lead into. Bounded in length and depth,
/// whatever the schema is.
std::string type_text(const Json& root, const Json& property);

/// The property of that name of an object schema; null when there is none.
const Json* property_of(const Json& schema, std::string_view name);

}  // namespace gantry::schema
