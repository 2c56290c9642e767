#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::auth {

inline constexpr std::size_t kSealKeyBytes = 32;

/// AES-256-GCM under a fresh random nonce. Output: a marker, the nonce, the ciphertext, the tag.
Result<std::string> seal(std::string_view key, std::string_view plain);

/// kDenied if anything was altered or the key differs; never partial plaintext.
Result<std::string> unseal(std::string_view key, std::string_view sealed);

}  // namespace gantry::auth
