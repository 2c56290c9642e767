#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry {

enum class Lines : std::uint8_t { kOne, kJoined, kMany };

/// Untrusted text made safe for a terminal: control characters and invalid UTF-8 become '?', and characters that
/// are invisible or change the text direction are spelt out ("<U+202E>"), so that a line reads as what it is. Joiners,
/// which scripts and emoji need, are kept. With Lines::kMany line breaks and tabs are kept too, with Lines::kJoined a
/// line break becomes "; ".
std::string terminal_text(std::string_view text, Lines lines = Lines::kOne);

/// The same, truncated after `limit` characters of `text` with an ellipsis.
std::string terminal_excerpt(std::string_view text, std::size_t limit, Lines lines = Lines::kJoined);

}  // namespace gantry
