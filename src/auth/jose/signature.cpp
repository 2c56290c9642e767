#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>

#include "auth/jose/key_material.hpp"
#include "base/try.hpp"

namespace gantry::jose {
namespace {

std::unexpected<Error> bad_signature() {
    ERR_clear_error();
    return fail(ErrorCode::kUnauthorized, "the signature is not valid");
}

std::string hmac(Alg alg, std::string_view secret, std::string_view message) {
    std::string out(hash_size(alg), '\0');
    unsigned size = 0;
    HMAC(EVP_get_digestbyname(digest_name(alg)), secret.data(), static_cast<int>(secret.size()),
         crypto::bytes_of(message), message.size(), crypto::bytes_of(out.data()), &size);
    out.resize(size);
    return out;
}

/// RSA-PSS in JOSE: MGF1 with the same digest, salt as long as the digest.
bool set_padding(EVP_PKEY_CTX* ctx, Alg alg) {
    switch (family_of(alg)) {
        case Family::kRsaPkcs1: return EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) == 1;
        case Family::kRsaPss:
            return EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) == 1 &&
                   EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST) == 1;
        default: return true;
    }
}

/// JOSE concatenates r and s at full width; OpenSSL uses DER.
Result<std::string> der_from_jose(std::string_view signature, std::size_t width) {
    if (signature.size() != 2 * width) return bad_signature();
    const auto half = static_cast<int>(width);
    crypto::BigNum r(BN_bin2bn(crypto::bytes_of(signature), half, nullptr));
    crypto::BigNum s(BN_bin2bn(crypto::bytes_of(signature) + width, half, nullptr));
    const crypto::EcdsaSig pair(ECDSA_SIG_new());
    if (!r || !s || !pair) return fail(ErrorCode::kInternal, "out of memory");
    if (BN_is_zero(r.get()) || BN_is_zero(s.get())) return bad_signature();
    if (ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return bad_signature();
    static_cast<void>(r.release());
    static_cast<void>(s.release());
    unsigned char* der = nullptr;
    const int size = i2d_ECDSA_SIG(pair.get(), &der);
    if (size <= 0) return bad_signature();
    std::string out(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
    OPENSSL_free(der);
    return out;
}

Result<std::string> jose_from_der(std::string_view der, std::size_t width) {
    const unsigned char* at = crypto::bytes_of(der);
    const crypto::EcdsaSig pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
    std::string out(2 * width, '\0');
    if (!pair ||
        BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), crypto::bytes_of(out.data()), static_cast<int>(width)) < 0 ||
        BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), crypto::bytes_of(out.data()) + width, static_cast<int>(width)) < 0)
        return fail(ErrorCode::kInternal, "the signature could not be encoded");
    return out;
}

}  // namespace

Result<std::string> Key::sign(Alg alg, std::string_view message) const {
    GANTRY_CHECK(permits(alg, Operation::kSign));
    if (is_symmetric(alg)) return hmac(alg, material_->secret, message);

    const crypto::EvpMdCtx ctx(EVP_MD_CTX_new());
    EVP_PKEY_CTX* key_ctx = nullptr;  // owned by ctx
    std::size_t size = 0;
    if (!ctx ||
        EVP_DigestSignInit_ex(ctx.get(), &key_ctx, digest_name(alg), nullptr, nullptr, material_->pkey.get(),
                              nullptr) != 1 ||
        !set_padding(key_ctx, alg) ||
        EVP_DigestSign(ctx.get(), nullptr, &size, crypto::bytes_of(message), message.size()) != 1) {
        ERR_clear_error();
        return fail(ErrorCode::kInternal, "signing failed");
    }
    std::string out(size, '\0');
    if (EVP_DigestSign(ctx.get(), crypto::bytes_of(out.data()), &size, crypto::bytes_of(message), message.size()) !=
        1) {
        ERR_clear_error();
        return fail(ErrorCode::kInternal, "signing failed");
    }
    out.resize(size);
    return type_ == KeyType::kEc ? jose_from_der(out, field_size(curve_)) : out;
}

Result<void> Key::verify(Alg alg, std::string_view message, std::string_view signature) const {
    GANTRY_CHECK(permits(alg, Operation::kVerify));
    if (is_symmetric(alg)) {
        if (!crypto::equal_constant_time(hmac(alg, material_->secret, message), signature)) return bad_signature();
        return {};
    }
    std::string der;
    if (type_ == KeyType::kEc) {
        GANTRY_TRY(der, der_from_jose(signature, field_size(curve_)));
        signature = der;
    }
    const crypto::EvpMdCtx ctx(EVP_MD_CTX_new());
    EVP_PKEY_CTX* key_ctx = nullptr;  // owned by ctx
    if (!ctx ||
        EVP_DigestVerifyInit_ex(ctx.get(), &key_ctx, digest_name(alg), nullptr, nullptr, material_->pkey.get(),
                                nullptr) != 1 ||
        !set_padding(key_ctx, alg)) {
        ERR_clear_error();
        return fail(ErrorCode::kInternal, "verification could not start");
    }
    if (EVP_DigestVerify(ctx.get(), crypto::bytes_of(signature), signature.size(), crypto::bytes_of(message),
                         message.size()) != 1)
        return bad_signature();
    return {};
}

}  // namespace gantry::jose
