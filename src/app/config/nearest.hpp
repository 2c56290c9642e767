#pragma once

#include <set>
#include <string_view>

namespace gantry::app {

/// The one of `known` that `word` was probably meant to be; empty: none is near.
std::string_view nearest(std::string_view word, const std::set<std::string_view>& known);

}  // namespace gantry::app
