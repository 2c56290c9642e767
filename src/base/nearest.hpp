#pragma once

#include <set>
#include <string>
#include <string_view>

namespace gantry {

/// The element of `known` that `word` was probably meant to be, by edit distance ignoring case, '_' and '-'.
/// Empty: none is close, or `word` is too long for a typed name.
std::string_view nearest(std::string_view word, const std::set<std::string_view>& known);

/// Like nearest(), also for names with a prefix: 'echo' finds 'remote_echo'. Prefers the shortest.
std::string_view nearest_name(std::string_view word, const std::set<std::string_view>& known);

/// "; did you mean 'X'?", or nothing if `meant` is empty: the end of a message about an unknown name.
std::string did_you_mean(std::string_view meant);

}  // namespace gantry
