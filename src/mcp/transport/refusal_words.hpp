#pragma once

#include <string>
#include <string_view>

namespace gantry::mcp {

/// What the body of a refusal says to a person: the message in a JSON error, the text of a page without its markup,
/// plain text as it is. One printable line, at most kMaxRefusalWords bytes; empty when there is nothing to read.
inline constexpr std::size_t kMaxRefusalWords = 300;
std::string refusal_words(std::string_view media_type, std::string_view body);

}  // namespace gantry::mcp
