#pragma once

#include <string_view>

namespace gantry {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace gantry
