#include "auth/store/sealed.hpp"

#include <openssl/err.h>

#include <limits>

#include "base/crypto/digest.hpp"
#include "base/crypto/openssl.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

using crypto::bytes_of;

constexpr std::string_view kMarker = "gantry-sealed-1\n";  // authenticated too, to prevent format downgrades
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kMaxBytes = 64u << 20;

bool start(EVP_CIPHER_CTX* ctx, std::string_view key, std::string_view nonce, int encrypt) {
    int ignored = 0;
    return EVP_CipherInit_ex2(ctx, EVP_aes_256_gcm(), bytes_of(key), bytes_of(nonce), encrypt, nullptr) == 1 &&
           EVP_CipherUpdate(ctx, nullptr, &ignored, bytes_of(kMarker), static_cast<int>(kMarker.size())) == 1;
}

}  // namespace

Result<std::string> seal(std::string_view key, std::string_view plain) {
    if (key.size() != kSealKeyBytes) return fail(ErrorCode::kInvalidArgument, "the sealing key has the wrong size");
    if (plain.size() > kMaxBytes) return fail(ErrorCode::kLimit, "too much to seal");
    GANTRY_TRY(const std::string nonce, crypto::random_bytes(kNonceBytes));
    const crypto::EvpCipherCtx ctx(EVP_CIPHER_CTX_new());
    std::string body(plain.size() + kTagBytes, '\0');
    int written = 0;
    int rest = 0;
    char* tag = body.data() + plain.size();
    if (!ctx || !start(ctx.get(), key, nonce, 1) ||
        EVP_CipherUpdate(ctx.get(), bytes_of(body.data()), &written, bytes_of(plain), static_cast<int>(plain.size())) !=
            1 ||
        EVP_CipherFinal_ex(ctx.get(), bytes_of(body.data()) + written, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag) != 1) {
        ERR_clear_error();
        return fail(ErrorCode::kInternal, "sealing failed");
    }
    return std::string(kMarker) + nonce + body;
}

Result<std::string> unseal(std::string_view key, std::string_view sealed) {
    if (key.size() != kSealKeyBytes) return fail(ErrorCode::kInvalidArgument, "the sealing key has the wrong size");
    if (!sealed.starts_with(kMarker) || sealed.size() < kMarker.size() + kNonceBytes + kTagBytes)
        return fail(ErrorCode::kDenied, "not a sealed file");
    if (sealed.size() > 2 * kMaxBytes) return fail(ErrorCode::kLimit, "the sealed file is too large");
    sealed.remove_prefix(kMarker.size());
    const std::string_view nonce = sealed.substr(0, kNonceBytes);
    const std::string_view body = sealed.substr(kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
    std::string tag(sealed.substr(sealed.size() - kTagBytes));
    const crypto::EvpCipherCtx ctx(EVP_CIPHER_CTX_new());
    std::string plain(body.size(), '\0');
    int written = 0;
    int rest = 0;
    if (!ctx || !start(ctx.get(), key, nonce, 0) ||
        EVP_CipherUpdate(ctx.get(), bytes_of(plain.data()), &written, bytes_of(body), static_cast<int>(body.size())) !=
            1 ||
        EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) != 1 ||
        EVP_CipherFinal_ex(ctx.get(), bytes_of(plain.data()) + written, &rest) != 1) {
        ERR_clear_error();
        crypto::wipe(plain);
        return fail(ErrorCode::kDenied, "the sealed file was altered or belongs to another key");
    }
    return plain;
}

}  // namespace gantry::auth
