#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gantry::mcp {

/// RFC 4648 section 4, padded.
std::string encode_base64(std::string_view bytes);
/// Strict: standard alphabet, exact padding, no stray bits, no whitespace.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace gantry::mcp
