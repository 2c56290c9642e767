#pragma once

#include <optional>
#include <string_view>

namespace gantry::cli {

/// The script that makes `shell` (bash, zsh or fish) complete gantry's commands, options and names. It queries the
/// program for them (offers.hpp) and contains none itself.
std::optional<std::string_view> completion_script(std::string_view shell);

}  // namespace gantry::cli
