#pragma once
// RAII owners of OpenSSL handles. Internal: no header outside src/base/crypto, src/auth/jose and
// src/auth/store includes this.

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace gantry::crypto {

template <auto Free>
struct OsslFree {
    template <class T>
    void operator()(T* handle) const noexcept {
        Free(handle);
    }
};

using EvpKey = std::unique_ptr<EVP_PKEY, OsslFree<EVP_PKEY_free>>;
using EvpKeyCtx = std::unique_ptr<EVP_PKEY_CTX, OsslFree<EVP_PKEY_CTX_free>>;
using EvpMdCtx = std::unique_ptr<EVP_MD_CTX, OsslFree<EVP_MD_CTX_free>>;
using EvpCipherCtx = std::unique_ptr<EVP_CIPHER_CTX, OsslFree<EVP_CIPHER_CTX_free>>;
using Bio = std::unique_ptr<BIO, OsslFree<BIO_free_all>>;
using BigNum = std::unique_ptr<BIGNUM, OsslFree<BN_clear_free>>;
using EcdsaSig = std::unique_ptr<ECDSA_SIG, OsslFree<ECDSA_SIG_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, OsslFree<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, OsslFree<OSSL_PARAM_free>>;

inline const unsigned char* bytes_of(std::string_view text) noexcept {
    return reinterpret_cast<const unsigned char*>(text.data());
}
inline unsigned char* bytes_of(char* text) noexcept {
    return reinterpret_cast<unsigned char*>(text);
}

}  // namespace gantry::crypto
