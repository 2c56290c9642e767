#pragma once

#include <string_view>

namespace gantry::gateway {

/// Whether all of `text` fits `pattern`: `*` stands for any characters, also none, `?` for exactly one byte, everything
/// else for itself. Case counts. Nothing escapes `*` and `?`; no name needs it. Linear in `text` for each `*` at worst.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

}  // namespace gantry::gateway
