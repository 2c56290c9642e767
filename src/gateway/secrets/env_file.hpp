#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::gateway {

inline constexpr std::size_t kMaxEnvFileBytes = 1u << 20;

using EnvFile = std::map<std::string, std::string, std::less<>>;

/// NAME=VALUE per line; allows a leading `export` and # comments. Single quotes keep everything, double quotes support
/// \n \t \" \\ and may span lines; an unquoted value is the rest of the line without " #…". Nothing is expanded. Errors
/// name the line, never a value.
Result<EnvFile> parse_env_file(std::string_view text);

}  // namespace gantry::gateway
