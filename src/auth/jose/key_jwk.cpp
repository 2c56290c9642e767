#include <openssl/core_names.h>
#include <openssl/err.h>

#include <algorithm>
#include <vector>

#include "auth/jose/key_material.hpp"
#include "base/crypto/base64url.hpp"
#include "base/try.hpp"

namespace gantry::jose {
namespace {

constexpr std::size_t kMaxMemberBytes = 2u << 10;  // a 8192-bit integer in base64url has 1366 characters

Result<std::string> bytes_member(const Json& jwk, std::string_view name) {
    const Json* member = jwk.find(name);
    const std::string* text = member ? member->if_string() : nullptr;
    if (!text) return fail(ErrorCode::kParse, "JWK member \"" + std::string(name) + "\" is missing or not a string");
    if (text->size() > kMaxMemberBytes) return fail(ErrorCode::kLimit, "JWK member is too long");
    auto bytes = crypto::base64url_decode(*text);
    if (!bytes) return fail(bytes.error().within("JWK member \"" + std::string(name) + "\""));
    return bytes;
}

/// Collects parameters and owns the numbers until make().
class ParamList {
public:
    ParamList() : builder_(OSSL_PARAM_BLD_new()) {}

    bool add_number(const char* name, const std::string& bytes) {
        crypto::BigNum number(BN_secure_new());
        if (!number || !BN_bin2bn(crypto::bytes_of(bytes), static_cast<int>(bytes.size()), number.get())) return false;
        if (OSSL_PARAM_BLD_push_BN(builder_.get(), name, number.get()) != 1) return false;
        numbers_.push_back(std::move(number));
        return true;
    }
    bool add_text(const char* name, const char* value) {
        return OSSL_PARAM_BLD_push_utf8_string(builder_.get(), name, value, 0) == 1;
    }
    /// `bytes` must stay alive until make().
    bool add_bytes(const char* name, const std::string& bytes) {
        return OSSL_PARAM_BLD_push_octet_string(builder_.get(), name, bytes.data(), bytes.size()) == 1;
    }

    crypto::EvpKey make(const char* type, bool has_private) {
        const crypto::Params params(OSSL_PARAM_BLD_to_param(builder_.get()));
        const crypto::EvpKeyCtx ctx(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
        EVP_PKEY* pkey = nullptr;
        if (!params || !ctx || EVP_PKEY_fromdata_init(ctx.get()) != 1 ||
            EVP_PKEY_fromdata(ctx.get(), &pkey, has_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params.get()) !=
                1) {
            ERR_clear_error();
            return nullptr;
        }
        return crypto::EvpKey(pkey);
    }

private:
    crypto::ParamBuilder builder_;
    std::vector<crypto::BigNum> numbers_;
};

std::unexpected<Error> unusable() {
    return fail(ErrorCode::kDenied, "the JWK's numbers do not make a key");
}

Result<Key> rsa_from_jwk(const Json& jwk) {
    if (jwk.find("oth")) return fail(ErrorCode::kUnsupported, "RSA keys with more than two primes are not supported");
    ParamList params;
    GANTRY_TRY(const std::string n, bytes_member(jwk, "n"));
    GANTRY_TRY(const std::string e, bytes_member(jwk, "e"));
    if (!params.add_number(OSSL_PKEY_PARAM_RSA_N, n) || !params.add_number(OSSL_PKEY_PARAM_RSA_E, e)) return unusable();
    const bool has_private = jwk.find("d") != nullptr;
    if (has_private) {
        GANTRY_TRY(const std::string d, bytes_member(jwk, "d"));
        if (!params.add_number(OSSL_PKEY_PARAM_RSA_D, d)) return unusable();
    }
    if (has_private && jwk.find("p")) {
        constexpr std::pair<std::string_view, const char*> kFactors[] = {{"p", OSSL_PKEY_PARAM_RSA_FACTOR1},
                                                                         {"q", OSSL_PKEY_PARAM_RSA_FACTOR2},
                                                                         {"dp", OSSL_PKEY_PARAM_RSA_EXPONENT1},
                                                                         {"dq", OSSL_PKEY_PARAM_RSA_EXPONENT2},
                                                                         {"qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1}};
        for (const auto& [member, name] : kFactors) {
            GANTRY_TRY(const std::string bytes, bytes_member(jwk, member));
            if (!params.add_number(name, bytes)) return unusable();
        }
    }
    crypto::EvpKey pkey = params.make("RSA", has_private);
    if (!pkey) return unusable();
    return KeyBuilder::from_evp(std::move(pkey), has_private);
}

Result<Key> ec_from_jwk(const Json& jwk) {
    const std::string_view crv = jwk.string_at("crv");
    Curve curve = Curve::kNone;
    for (const Curve known : {Curve::kP256, Curve::kP384, Curve::kP521})
        if (crv == group_name(known)) curve = known;
    if (curve == Curve::kNone) return fail(ErrorCode::kUnsupported, "the JWK's curve is not supported");

    GANTRY_TRY(const std::string x, bytes_member(jwk, "x"));
    GANTRY_TRY(const std::string y, bytes_member(jwk, "y"));
    if (x.size() != field_size(curve) || y.size() != field_size(curve))
        return fail(ErrorCode::kParse, "a coordinate does not have the size of the JWK's curve");
    const std::string point = "\x04" + x + y;
    ParamList params;
    if (!params.add_text(OSSL_PKEY_PARAM_GROUP_NAME, group_name(curve)) ||
        !params.add_bytes(OSSL_PKEY_PARAM_PUB_KEY, point))
        return unusable();
    const bool has_private = jwk.find("d") != nullptr;
    if (has_private) {
        GANTRY_TRY(const std::string d, bytes_member(jwk, "d"));
        if (d.size() != field_size(curve)) return fail(ErrorCode::kParse, "the private number has the wrong size");
        if (!params.add_number(OSSL_PKEY_PARAM_PRIV_KEY, d)) return unusable();
    }
    crypto::EvpKey pkey = params.make("EC", has_private);
    if (!pkey) return unusable();
    return KeyBuilder::from_evp(std::move(pkey), has_private);
}

Result<Key> okp_from_jwk(const Json& jwk) {
    if (jwk.string_at("crv") != "Ed25519") return fail(ErrorCode::kUnsupported, "the JWK's curve is not supported");
    GANTRY_TRY(const std::string x, bytes_member(jwk, "x"));
    if (x.size() != 32) return fail(ErrorCode::kParse, "an Ed25519 key has 32 bytes");
    if (!jwk.find("d")) {
        crypto::EvpKey pkey(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, crypto::bytes_of(x), x.size()));
        if (!pkey) return unusable();
        return KeyBuilder::from_evp(std::move(pkey), false);
    }
    GANTRY_TRY(std::string d, bytes_member(jwk, "d"));
    if (d.size() != 32) return fail(ErrorCode::kParse, "an Ed25519 key has 32 bytes");
    crypto::EvpKey pkey(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, crypto::bytes_of(d), d.size()));
    crypto::wipe(d);
    if (!pkey) return unusable();
    // OpenSSL derives the public half itself: the one in the JWK must be equal.
    std::string derived(32, '\0');
    std::size_t size = derived.size();
    if (EVP_PKEY_get_raw_public_key(pkey.get(), crypto::bytes_of(derived.data()), &size) != 1 || derived != x)
        return fail(ErrorCode::kDenied, "the private key does not belong to the public one");
    return KeyBuilder::from_evp(std::move(pkey), true);
}

Result<Key> material_from_jwk(const Json& jwk) {
    const std::string_view kty = jwk.string_at("kty");
    if (kty == "RSA") return rsa_from_jwk(jwk);
    if (kty == "EC") return ec_from_jwk(jwk);
    if (kty == "OKP") return okp_from_jwk(jwk);
    if (kty == "oct") {
        GANTRY_TRY(std::string secret, bytes_member(jwk, "k"));
        auto key = KeyBuilder::from_secret(secret);
        crypto::wipe(secret);
        return key;
    }
    return fail(ErrorCode::kUnsupported, "the JWK's kty is not supported");
}

Result<std::string> optional_text(const Json& jwk, std::string_view name) {
    const Json* member = jwk.find(name);
    if (!member) return std::string();
    if (const std::string* text = member->if_string()) return *text;
    return fail(ErrorCode::kParse, "JWK member \"" + std::string(name) + "\" is not a string");
}

}  // namespace

Result<void> KeyBuilder::read_metadata(Key& key, const Json& jwk) {
    GANTRY_TRY(key.kid_, optional_text(jwk, "kid"));
    GANTRY_TRY(key.use_, optional_text(jwk, "use"));
    GANTRY_TRY(key.alg_, optional_text(jwk, "alg"));
    if (const Json* ops = jwk.find("key_ops")) {
        const JsonArray* list = ops->if_array();
        if (!list) return fail(ErrorCode::kParse, "JWK member \"key_ops\" is not an array");
        std::vector<std::string> names;
        for (const Json& op : *list) {
            const std::string* name = op.if_string();
            if (!name || std::find(names.begin(), names.end(), *name) != names.end())
                return fail(ErrorCode::kParse, "JWK member \"key_ops\" is not a set of strings");
            names.push_back(*name);
        }
        key.key_ops_ = std::move(names);
    }
    return {};
}

Result<Key> Key::from_jwk(const Json& jwk) {
    if (!jwk.is_object()) return fail(ErrorCode::kParse, "a JWK is a JSON object");
    GANTRY_TRY(Key key, material_from_jwk(jwk));
    GANTRY_CHECK(KeyBuilder::read_metadata(key, jwk));
    return key;
}

}  // namespace gantry::jose
