#pragma once

#include <string>
#include <string_view>

namespace gantry {

enum class Lines : bool { kOne, kMany };

/// Text of others, fit for a terminal: control characters and bytes that are no UTF-8 become '?', and characters that
/// are invisible or change the direction of what follows are spelt out ("<U+202E>"), so that a line reads as what it
/// is. Joiners, which scripts and emoji need, stay. With Lines::kMany line breaks and tabs stay too.
std::string terminal_text(std::string_view text, Lines lines = Lines::kOne);

}  // namespace gantry
