#pragma once
// Construction of keys; internal to auth/jose.

#include <string>
#include <utility>

#include "auth/jose/key.hpp"
#include "base/crypto/digest.hpp"
#include "base/crypto/openssl.hpp"

namespace gantry::jose {

struct Key::Material {
    crypto::EvpKey pkey;  // all but oct
    std::string secret;   // oct

    Material() = default;
    Material(const Material&) = delete;
    Material& operator=(const Material&) = delete;
    ~Material() { crypto::wipe(secret); }
};

/// The only way to construct a Key: every source of keys ends here, so every key passes the checks.
struct KeyBuilder {
    /// Determines type, curve and private half of `pkey`, then checks strength and consistency.
    static Result<Key> from_evp(crypto::EvpKey pkey, bool has_private);
    static Result<Key> from_secret(std::string_view bytes);
    /// kid, use, alg, key_ops.
    static Result<void> read_metadata(Key& key, const Json& jwk);
    static void set_kid(Key& key, std::string kid) { key.kid_ = std::move(kid); }
};

/// Size of a coordinate in bytes; zero for kNone.
std::size_t field_size(Curve curve) noexcept;
const char* group_name(Curve curve) noexcept;

/// The unsigned big-endian bytes of a key parameter, padded to `size` if that is not zero.
std::string bignum_param(const EVP_PKEY* key, const char* name, std::size_t size = 0);

Result<void> check_rsa_strength(const EVP_PKEY* key);
/// Moduli made by the generator of CVE-2017-15361 can be recognized and factored.
bool has_roca_fingerprint(const BIGNUM* modulus);
/// All encodings, including non-canonical ones, of Ed25519 points whose order divides eight.
bool is_small_order_ed25519(std::string_view public_key) noexcept;

}  // namespace gantry::jose
