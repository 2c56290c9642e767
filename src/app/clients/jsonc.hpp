#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// JSON as editors keep their settings: comments and commas at the end are allowed.
Result<Json> parse_jsonc(std::string_view text);

/// `text` with `value` as the member `path[0].path[1]…` of the file, which is replaced or put in front of its siblings;
/// objects on the way are made. Everything else stays byte for byte, comments included. An empty text counts as {}.
Result<std::string> put_member(std::string_view text, std::span<const std::string> path, const Json& value);

/// `text` without that member. Everything else stays, comments included; kNotFound when there is no such member.
Result<std::string> remove_member(std::string_view text, std::span<const std::string> path);

}  // namespace gantry::app
