#pragma once

#include "base/schema/schema.hpp"

namespace gantry::schema {

/// Why the arguments of a call were refused, in words a person or a model can act on: "missing required argument 'b'
/// (number)", "argument 'a' must be a number", "unknown argument 'tpic'; did you mean 'topic'?". `report` is not
/// valid(); `input_schema` is the tool's schema as it came. No value of an argument is in it.
Error argument_error(const ValidationReport& report, const Json& input_schema);

/// "a number", "an integer", "true or false": what an argument of this type must be.
std::string must_be(const std::string& type);

}  // namespace gantry::schema
