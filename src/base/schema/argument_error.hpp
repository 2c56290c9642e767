#pragma once

#include "base/schema/schema.hpp"

namespace gantry::schema {

/// Explains to a person or a model why the arguments of a call were rejected: "missing required argument 'b'
/// (number)", "argument 'a' must be a number", "unknown argument 'tpic'; did you mean 'topic'?". Precondition: `report`
/// is not valid(); `input_schema` is the tool's schema as received. The text contains no value of an argument.
Error argument_error(const ValidationReport& report, const Json& input_schema);

/// "a number", "an integer", "true or false": the requirement for an argument of this type.
std::string must_be(const std::string& type);

}  // namespace gantry::schema
