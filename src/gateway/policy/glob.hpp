#pragma once

#include <string_view>

namespace gantry::gateway {

/// Whether `pattern` matches all of `text`: `*` matches any run of characters, also an empty one, `?` exactly one byte,
/// and everything else itself. Case-sensitive. There is no escape for `*` and `?`; no name needs one. At worst linear
/// in `text` for each `*`.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

}  // namespace gantry::gateway
