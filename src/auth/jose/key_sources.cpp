#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>

#include "auth/jose/key_material.hpp"
#include "base/try.hpp"

namespace gantry::jose {
namespace {

constexpr std::size_t kMaxPemBytes = 64u << 10;
constexpr std::size_t kMaxSecretBytes = 4u << 10;
constexpr unsigned kGeneratedRsaBits = 3072;

Curve curve_of(const EVP_PKEY* key) {
    char name[32] = {};
    std::size_t size = 0;
    if (EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name, &size) != 1)
        return Curve::kNone;
    const std::string_view group(name, size);
    if (group == "P-256" || group == "prime256v1") return Curve::kP256;
    if (group == "P-384" || group == "secp384r1") return Curve::kP384;
    if (group == "P-521" || group == "secp521r1") return Curve::kP521;
    return Curve::kNone;
}

Result<void> check_point(EVP_PKEY* key) {
    const crypto::EvpKeyCtx ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
    if (!ctx || EVP_PKEY_public_check(ctx.get()) != 1) {
        ERR_clear_error();
        return fail(ErrorCode::kDenied, "the public point is not a usable point of its curve");
    }
    return {};
}

Result<void> check_small_order(const EVP_PKEY* key) {
    std::string point(32, '\0');
    std::size_t size = point.size();
    if (EVP_PKEY_get_raw_public_key(key, crypto::bytes_of(point.data()), &size) != 1 || is_small_order_ed25519(point))
        return fail(ErrorCode::kDenied, "the Ed25519 point has small order");
    return {};
}

int refuse_passphrase(char*, int, int, void*) {
    return -1;
}

}  // namespace

Result<Key> KeyBuilder::from_evp(crypto::EvpKey pkey, bool has_private) {
    Key key;
    key.private_ = has_private;
    switch (EVP_PKEY_get_base_id(pkey.get())) {
        case EVP_PKEY_RSA:
            key.type_ = KeyType::kRsa;
            GANTRY_CHECK(check_rsa_strength(pkey.get()));
            break;
        case EVP_PKEY_EC:
            key.type_ = KeyType::kEc;
            key.curve_ = curve_of(pkey.get());
            if (key.curve_ == Curve::kNone) return fail(ErrorCode::kUnsupported, "the curve is not supported");
            GANTRY_CHECK(check_point(pkey.get()));
            break;
        case EVP_PKEY_ED25519:
            key.type_ = KeyType::kOkp;
            key.curve_ = Curve::kEd25519;
            GANTRY_CHECK(check_small_order(pkey.get()));
            break;
        default: return fail(ErrorCode::kUnsupported, "the key's type is not supported");
    }
    auto material = std::make_shared<Key::Material>();
    material->pkey = std::move(pkey);
    key.material_ = std::move(material);

    if (has_private) {
        // Probe: only a pair whose signature verifies is accepted.
        constexpr std::string_view kProbe = "consistency";
        const Alg alg = *key.default_alg();
        const auto signature = key.sign(alg, kProbe);
        if (!signature || !key.verify(alg, kProbe, *signature)) {
            ERR_clear_error();
            return fail(ErrorCode::kDenied, "the private key does not belong to the public one");
        }
    }
    return key;
}

Result<Key> KeyBuilder::from_secret(std::string_view bytes) {
    if (bytes.empty()) return fail(ErrorCode::kDenied, "the secret is empty");
    if (bytes.size() > kMaxSecretBytes) return fail(ErrorCode::kLimit, "the secret is too long");
    Key key;
    key.type_ = KeyType::kOct;
    key.private_ = true;
    auto material = std::make_shared<Key::Material>();
    material->secret = bytes;
    key.material_ = std::move(material);
    return key;
}

Result<Key> Key::from_secret(std::string_view bytes) {
    return KeyBuilder::from_secret(bytes);
}

Result<Key> Key::from_pem(std::string_view pem) {
    if (pem.size() > kMaxPemBytes) return fail(ErrorCode::kLimit, "the PEM text is too long");
    const bool is_private = pem.find("PRIVATE KEY-----") != std::string_view::npos;
    const crypto::Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    if (!bio) return fail(ErrorCode::kInternal, "out of memory");
    crypto::EvpKey pkey(is_private ? PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_passphrase, nullptr)
                                   : PEM_read_bio_PUBKEY(bio.get(), nullptr, refuse_passphrase, nullptr));
    if (!pkey) {
        ERR_clear_error();
        return fail(ErrorCode::kParse, "not a PEM key that can be read without a passphrase");
    }
    return KeyBuilder::from_evp(std::move(pkey), is_private);
}

Result<Key> Key::generate(Alg alg) {
    crypto::EvpKey pkey;
    switch (family_of(alg)) {
        case Family::kHmac: {
            GANTRY_TRY(std::string secret, crypto::random_bytes(hash_size(alg)));
            auto key = KeyBuilder::from_secret(secret);
            crypto::wipe(secret);
            return key;
        }
        case Family::kRsaPkcs1:
        case Family::kRsaPss:
            pkey.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<std::size_t>(kGeneratedRsaBits)));
            break;
        case Family::kEcdsa:
            pkey.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC",
                                         alg == Alg::kES256   ? "P-256"
                                         : alg == Alg::kES384 ? "P-384"
                                                              : "P-521"));
            break;
        case Family::kEdwards: pkey.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")); break;
    }
    if (!pkey) return fail(ErrorCode::kInternal, "the key could not be generated");
    return KeyBuilder::from_evp(std::move(pkey), true);
}

}  // namespace gantry::jose
