#pragma once

#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::crypto {

/// RFC 7515 base64url: no padding, no line breaks.
std::string base64url_encode(std::string_view bytes);

/// Strict inverse: other characters, padding, an impossible length and non-zero unused bits are
/// rejected, so that every byte string has exactly one accepted encoding.
Result<std::string> base64url_decode(std::string_view text);

/// RFC 4648 base64 with padding, as used by HTTP Basic and PEM.
std::string base64_encode(std::string_view bytes);

}  // namespace gantry::crypto
