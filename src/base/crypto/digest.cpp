#include "base/crypto/digest.hpp"

#include <openssl/rand.h>
#include <openssl/sha.h>

#include "base/crypto/openssl.hpp"

namespace gantry::crypto {

std::string sha256(std::string_view bytes) {
    std::string out(SHA256_DIGEST_LENGTH, '\0');
    SHA256(bytes_of(bytes), bytes.size(), bytes_of(out.data()));
    return out;
}

Result<std::string> random_bytes(std::size_t count) {
    std::string out(count, '\0');
    if (count > (1u << 20) || RAND_bytes(bytes_of(out.data()), static_cast<int>(count)) != 1)
        return fail(ErrorCode::kInternal, "the system's random generator failed");
    return out;
}

bool equal_constant_time(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void wipe(std::string& secret) noexcept {
    OPENSSL_cleanse(secret.data(), secret.size());
    secret.clear();
}

}  // namespace gantry::crypto
