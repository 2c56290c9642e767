#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::gateway {

inline constexpr std::size_t kMaxEnvFileBytes = 1u << 20;

using EnvFile = std::map<std::string, std::string, std::less<>>;

/// NAME=VALUE per line, `export` in front allowed, # comments. Single quotes keep everything, double quotes know \n \t \" \\
/// and may span lines, without quotes the rest of the line counts, less " #…". Nothing is expanded. A fault is told with
/// its line and no value.
Result<EnvFile> parse_env_file(std::string_view text);

}  // namespace gantry::gateway
