#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// JSON as in editors' settings: comments and trailing commas are allowed.
Result<Json> parse_jsonc(std::string_view text);

/// Sets the member `path[0].path[1]…` of the file to `value`: replaces it, or inserts it before its siblings; missing
/// objects on the path are created. Everything else stays byte for byte, comments included. An empty text counts as {}.
Result<std::string> put_member(std::string_view text, std::span<const std::string> path, const Json& value);

/// Removes that member. Everything else stays, comments included; kNotFound when there is no such member.
Result<std::string> remove_member(std::string_view text, std::span<const std::string> path);

}  // namespace gantry::app
