#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::crypto {

/// 32 raw bytes.
std::string sha256(std::string_view bytes);

/// From the system's random generator; fails rather than returning weak bytes.
Result<std::string> random_bytes(std::size_t count);

/// Takes the same time wherever the first difference is. Lengths may leak.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

/// Overwrites the bytes before releasing the memory.
void wipe(std::string& secret) noexcept;

}  // namespace gantry::crypto
