#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/jose/algorithm.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::jose {

enum class KeyType : std::uint8_t { kRsa, kEc, kOkp, kOct };
enum class Curve : std::uint8_t { kNone, kP256, kP384, kP521, kEd25519 };
enum class Operation : std::uint8_t { kSign, kVerify };

/// A key that passed all checks: no weak, inconsistent or off-curve key becomes a Key.
///
/// Rejected: RSA below 2048 or above 8192 bits, even or unit exponents, moduli with the ROCA
/// fingerprint, points not on the named curve, Ed25519 points of small order, a private part that
/// does not match the public one. Copies share the material; a Key is immutable.
class Key {
public:
    /// RSA, EC (P-256, P-384, P-521), OKP (Ed25519) and oct. kUnsupported for another kty or curve.
    static Result<Key> from_jwk(const Json& jwk);
    /// One unencrypted private key (PKCS #8, SEC1, PKCS #1) or public key (SubjectPublicKeyInfo).
    static Result<Key> from_pem(std::string_view pem);
    /// A shared secret for HMAC. Its length is checked per algorithm on use.
    static Result<Key> from_secret(std::string_view bytes);
    /// A new key suitable for `alg`; RSA keys have 3072 bits.
    static Result<Key> generate(Alg alg);

    KeyType type() const noexcept { return type_; }
    Curve curve() const noexcept { return curve_; }
    const std::string& kid() const noexcept { return kid_; }
    Key with_kid(std::string kid) const;
    bool has_private() const noexcept { return private_; }

    /// Fails with the reason if this key must not be used so: type and curve must fit the algorithm, and
    /// the JWK's own `use`, `key_ops` and `alg` are respected. For RSA keys `alg` fixes the padding and the
    /// weakest digest; for all others it must be equal.
    Result<void> permits(Alg alg, Operation operation) const;
    /// The algorithm to sign with if none is configured: the JWK's `alg`, else the usual one of the type.
    std::optional<Alg> default_alg() const noexcept;

    /// kty and the public members, and kid if set. Empty for oct: a secret has no public half.
    JsonObject public_jwk() const;
    /// RFC 7638, SHA-256, base64url.
    std::string thumbprint() const;
    /// PKCS #8. kInvalidArgument for public and oct keys.
    Result<std::string> private_pem() const;

    /// The raw JOSE signature (for ECDSA r and s concatenated). Checks permits() first.
    Result<std::string> sign(Alg alg, std::string_view message) const;
    /// kUnauthorized if the signature is invalid. Checks permits() first.
    Result<void> verify(Alg alg, std::string_view message, std::string_view signature) const;

    struct Material;  // internal to auth/jose

private:
    friend struct KeyBuilder;
    Key() = default;

    std::shared_ptr<const Material> material_;
    KeyType type_ = KeyType::kOct;
    Curve curve_ = Curve::kNone;
    bool private_ = false;
    std::string kid_;
    std::string use_;
    std::string alg_;
    std::optional<std::vector<std::string>> key_ops_;
};

}  // namespace gantry::jose
