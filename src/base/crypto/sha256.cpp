#include "base/crypto/sha256.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

#include "base/crypto/openssl.hpp"

namespace gantry::crypto {
namespace {

EVP_MD_CTX* context_of(void* context) noexcept {
    return static_cast<EVP_MD_CTX*>(context);
}

/// Fetched once: fetching costs more than a short digest.
const EVP_MD* algorithm() {
    static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    if (fetched == nullptr) std::abort();  // every OpenSSL 3 has it
    return fetched;
}

}  // namespace

void Sha256::Free::operator()(void* context) const noexcept {
    EVP_MD_CTX_free(context_of(context));
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    if (!context_ || EVP_DigestInit_ex2(context_of(context_.get()), algorithm(), nullptr) != 1) std::abort();
}

void Sha256::add(std::string_view bytes) noexcept {
    EVP_DigestUpdate(context_of(context_.get()), bytes.data(), bytes.size());
}

Sha256::Digest Sha256::end() noexcept {
    Digest digest{};
    EVP_DigestFinal_ex(context_of(context_.get()), digest.data(), nullptr);
    EVP_DigestInit_ex2(context_of(context_.get()), nullptr, nullptr);
    return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
    std::string out(32, '\0');
    unsigned int size = 0;
    HMAC(algorithm(), key.data(), static_cast<int>(key.size()), bytes_of(bytes), bytes.size(), bytes_of(out.data()),
         &size);
    return out;
}

}  // namespace gantry::crypto
