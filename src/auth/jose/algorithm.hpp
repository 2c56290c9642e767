#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::jose {

/// The signature algorithms of RFC 7518 and RFC 8037. "none" is deliberately absent.
enum class Alg : std::uint8_t {
    kHS256,
    kHS384,
    kHS512,
    kRS256,
    kRS384,
    kRS512,
    kPS256,
    kPS384,
    kPS512,
    kES256,
    kES384,
    kES512,
    kEdDSA,
};

enum class Family : std::uint8_t { kHmac, kRsaPkcs1, kRsaPss, kEcdsa, kEdwards };

std::string_view to_string(Alg alg) noexcept;
/// Case-sensitive, as in RFC 7515.
std::optional<Alg> parse_alg(std::string_view name) noexcept;

Family family_of(Alg alg) noexcept;
/// Digest size in bytes; 64 for EdDSA.
std::size_t hash_size(Alg alg) noexcept;
/// OpenSSL's digest name; null for EdDSA, which has a digest of its own.
const char* digest_name(Alg alg) noexcept;
inline bool is_symmetric(Alg alg) noexcept {
    return family_of(alg) == Family::kHmac;
}

}  // namespace gantry::jose
