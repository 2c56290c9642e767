#include "auth/jose/key.hpp"

#include <openssl/core_names.h>
#include <openssl/pem.h>

#include <algorithm>

#include "auth/jose/key_material.hpp"
#include "base/crypto/base64url.hpp"
#include "base/try.hpp"

namespace gantry::jose {
namespace {

/// A JWK's `alg`. "ES521" is a common mistake for ES512 (the curve's number instead of the digest's).
std::optional<Alg> parse_key_alg(std::string_view name) noexcept {
    return name == "ES521" ? Alg::kES512 : parse_alg(name);
}

Result<void> check_declared_alg(std::string_view declared, KeyType type, Alg wanted) {
    if (declared.empty()) return {};
    const auto alg = parse_key_alg(declared);
    const bool fits = alg && (*alg == wanted || (type == KeyType::kRsa && family_of(*alg) == family_of(wanted) &&
                                                 hash_size(*alg) <= hash_size(wanted)));
    if (!fits) return fail(ErrorCode::kDenied, "the key is meant for another algorithm");
    return {};
}

bool type_fits(KeyType type, Curve curve, Alg alg) noexcept {
    switch (family_of(alg)) {
        case Family::kHmac: return type == KeyType::kOct;
        case Family::kRsaPkcs1:
        case Family::kRsaPss: return type == KeyType::kRsa;
        case Family::kEdwards: return curve == Curve::kEd25519;
        case Family::kEcdsa:
            return curve == (alg == Alg::kES256 ? Curve::kP256 : alg == Alg::kES384 ? Curve::kP384 : Curve::kP521);
    }
    return false;
}

std::string raw_public(const EVP_PKEY* key) {
    std::string out(32, '\0');
    std::size_t size = out.size();
    if (EVP_PKEY_get_raw_public_key(key, crypto::bytes_of(out.data()), &size) != 1) return {};
    return out;
}

}  // namespace

std::size_t field_size(Curve curve) noexcept {
    switch (curve) {
        case Curve::kNone: return 0;
        case Curve::kP256:
        case Curve::kEd25519: return 32;
        case Curve::kP384: return 48;
        case Curve::kP521: return 66;
    }
    return 0;
}

const char* group_name(Curve curve) noexcept {
    switch (curve) {
        case Curve::kNone: return "";
        case Curve::kP256: return "P-256";
        case Curve::kP384: return "P-384";
        case Curve::kP521: return "P-521";
        case Curve::kEd25519: return "Ed25519";
    }
    return "";
}

std::string bignum_param(const EVP_PKEY* key, const char* name, std::size_t size) {
    BIGNUM* raw = nullptr;
    if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) return {};
    const crypto::BigNum value(raw);
    std::string out(size != 0 ? size : static_cast<std::size_t>(BN_num_bytes(value.get())), '\0');
    if (BN_bn2binpad(value.get(), crypto::bytes_of(out.data()), static_cast<int>(out.size())) < 0) return {};
    return out;
}

Key Key::with_kid(std::string kid) const {
    Key copy = *this;
    copy.kid_ = std::move(kid);
    return copy;
}

Result<void> Key::permits(Alg alg, Operation operation) const {
    if (!type_fits(type_, curve_, alg)) return fail(ErrorCode::kDenied, "the key's type does not fit the algorithm");
    GANTRY_CHECK(check_declared_alg(alg_, type_, alg));
    if (!use_.empty() && use_ != "sig") return fail(ErrorCode::kDenied, "the key is not meant for signatures");
    const std::string_view wanted = operation == Operation::kSign ? "sign" : "verify";
    if (key_ops_ && std::find(key_ops_->begin(), key_ops_->end(), wanted) == key_ops_->end())
        return fail(ErrorCode::kDenied, "the key's operations do not include this one");
    if (operation == Operation::kSign && !private_)
        return fail(ErrorCode::kInvalidArgument, "signing needs a private key");
    if (type_ == KeyType::kOct && material_->secret.size() < hash_size(alg))
        return fail(ErrorCode::kDenied, "the secret is shorter than the digest");
    return {};
}

std::optional<Alg> Key::default_alg() const noexcept {
    if (!alg_.empty()) return parse_key_alg(alg_);
    switch (type_) {
        case KeyType::kOct: return Alg::kHS256;
        case KeyType::kRsa: return Alg::kRS256;
        case KeyType::kOkp: return Alg::kEdDSA;
        case KeyType::kEc:
            return curve_ == Curve::kP256 ? Alg::kES256 : curve_ == Curve::kP384 ? Alg::kES384 : Alg::kES512;
    }
    return std::nullopt;
}

JsonObject Key::public_jwk() const {
    // Members in lexical order: thumbprint() relies on it.
    JsonObject jwk;
    const EVP_PKEY* key = material_->pkey.get();
    switch (type_) {
        case KeyType::kOct: return jwk;
        case KeyType::kRsa:
            jwk.set("e", crypto::base64url_encode(bignum_param(key, OSSL_PKEY_PARAM_RSA_E)));
            jwk.set("kty", "RSA");
            jwk.set("n", crypto::base64url_encode(bignum_param(key, OSSL_PKEY_PARAM_RSA_N)));
            break;
        case KeyType::kEc:
            jwk.set("crv", group_name(curve_));
            jwk.set("kty", "EC");
            jwk.set("x", crypto::base64url_encode(bignum_param(key, OSSL_PKEY_PARAM_EC_PUB_X, field_size(curve_))));
            jwk.set("y", crypto::base64url_encode(bignum_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, field_size(curve_))));
            break;
        case KeyType::kOkp:
            jwk.set("crv", "Ed25519");
            jwk.set("kty", "OKP");
            jwk.set("x", crypto::base64url_encode(raw_public(key)));
            break;
    }
    if (!kid_.empty()) jwk.set("kid", kid_);
    return jwk;
}

std::string Key::thumbprint() const {
    JsonObject required = public_jwk();
    required.erase("kid");
    if (type_ == KeyType::kOct)
        required = JsonObject{{"k", Json(crypto::base64url_encode(material_->secret))}, {"kty", Json("oct")}};
    return crypto::base64url_encode(crypto::sha256(Json(std::move(required)).dump()));
}

Result<std::string> Key::private_pem() const {
    if (!private_ || type_ == KeyType::kOct)
        return fail(ErrorCode::kInvalidArgument, "only an asymmetric private key can be exported");
    const crypto::Bio bio(BIO_new(BIO_s_secmem()));
    if (!bio ||
        PEM_write_bio_PKCS8PrivateKey(bio.get(), material_->pkey.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
        return fail(ErrorCode::kInternal, "the key could not be written");
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace gantry::jose
