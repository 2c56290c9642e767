#pragma once

#include <string>
#include <string_view>

namespace gantry::mcp {

/// Human-readable text of a rejection's body: the message of a JSON error, the text of a page without markup, or plain
/// text as is. One printable line, at most kMaxRefusalWords bytes; empty if there is no text.
inline constexpr std::size_t kMaxRefusalWords = 300;
std::string refusal_words(std::string_view media_type, std::string_view body);

}  // namespace gantry::mcp
