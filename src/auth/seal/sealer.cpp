#include "auth/seal/sealer.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "auth/seal/key_ring.hpp"
#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/crypto/openssl.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "io/private_file.hpp"

namespace gantry::auth {
namespace {

using crypto::bytes_of;

constexpr const char* kFile = "seal.keys";
constexpr std::size_t kMaxFileBytes = 64u << 10;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kMaxPlainBytes = 1u << 20;
constexpr std::chrono::seconds kLookAgainAfter{60};

/// A key with its schedule expanded for both directions.
class Cipher {
public:
    static Result<Cipher> make(SealKey key) {
        Cipher cipher(std::move(key));
        for (auto* ctx : {&cipher.seal_, &cipher.open_}) {
            ctx->reset(EVP_CIPHER_CTX_new());
            const int encrypt = ctx == &cipher.seal_ ? 1 : 0;
            if (!*ctx || EVP_CipherInit_ex2(ctx->get(), EVP_aes_256_gcm(), bytes_of(cipher.key_.secret), nullptr,
                                            encrypt, nullptr) != 1)
                return fail(ErrorCode::kInternal, "the sealing key cannot be used");
        }
        return cipher;
    }
    Cipher(Cipher&&) noexcept = default;
    Cipher& operator=(Cipher&&) noexcept = default;
    ~Cipher() { crypto::wipe(key_.secret); }

    const SealKey& key() const noexcept { return key_; }

    /// Appends ciphertext and tag to `out`.
    bool seal(std::string_view purpose, std::string_view nonce, std::string_view plain, std::string& out) {
        const std::size_t at = out.size();
        out.resize(at + plain.size() + kTagBytes);
        int written = 0;
        int rest = 0;
        char* to = out.data() + at;
        return begin(seal_, purpose, nonce) &&
               EVP_CipherUpdate(seal_.get(), bytes_of(to), &written, bytes_of(plain), static_cast<int>(plain.size())) ==
                   1 &&
               EVP_CipherFinal_ex(seal_.get(), bytes_of(to) + written, &rest) == 1 &&
               EVP_CIPHER_CTX_ctrl(seal_.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, to + plain.size()) == 1;
    }

    bool open(std::string_view purpose, std::string_view nonce, std::string_view body, std::string& plain) {
        std::string tag(body.substr(body.size() - kTagBytes));
        body.remove_suffix(kTagBytes);
        plain.resize(body.size());
        int written = 0;
        int rest = 0;
        return begin(open_, purpose, nonce) &&
               EVP_CipherUpdate(open_.get(), bytes_of(plain.data()), &written, bytes_of(body),
                                static_cast<int>(body.size())) == 1 &&
               EVP_CIPHER_CTX_ctrl(open_.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) == 1 &&
               EVP_CipherFinal_ex(open_.get(), bytes_of(plain.data()) + written, &rest) == 1;
    }

private:
    explicit Cipher(SealKey key) : key_(std::move(key)) {}

    static bool begin(crypto::EvpCipherCtx& ctx, std::string_view purpose, std::string_view nonce) {
        int ignored = 0;
        return EVP_CipherInit_ex2(ctx.get(), nullptr, nullptr, bytes_of(nonce), -1, nullptr) == 1 &&
               EVP_CipherUpdate(ctx.get(), nullptr, &ignored, bytes_of(purpose), static_cast<int>(purpose.size())) == 1;
    }

    SealKey key_;
    crypto::EvpCipherCtx seal_;
    crypto::EvpCipherCtx open_;
};

}  // namespace

class Sealer::Impl {
public:
    Impl(std::filesystem::path folder, Rotation rotation) : folder_(std::move(folder)), rotation_(std::move(rotation)) {
        if (!rotation_.now) rotation_.now = [] { return WallClock::now(); };
    }

    Result<void> load() {
        KeyRing ring;
        if (folder_.empty()) {
            GANTRY_TRY(SealKey key, make_seal_key(now()));
            ring.keys.push_back(std::move(key));
        } else {
            GANTRY_TRY(ring, load_folder());
        }
        std::vector<Cipher> ciphers;
        for (SealKey& key : ring.keys) {
            GANTRY_TRY(Cipher cipher, Cipher::make(std::move(key)));
            ciphers.push_back(std::move(cipher));
        }
        ciphers_ = std::move(ciphers);
        loaded_ = now();
        return {};
    }

    std::string seal(std::string_view purpose, std::string_view plain) {
        assert(plain.size() <= kMaxPlainBytes);
        // If the folder is temporarily not writable, keep using the old key rather than rejecting all clients.
        if (!folder_.empty() && due() && !just_loaded()) {
            loaded_ = now();
            [[maybe_unused]] const auto rotated = load();
        }
        Cipher& cipher = ciphers_.front();
        auto nonce = crypto::random_bytes(kNonceBytes);
        std::string token = cipher.key().id;
        if (!nonce || !cipher.seal(purpose, *nonce, plain, token.append(*nonce))) {
            ERR_clear_error();
            return {};  // no random bytes: an empty token is safe, it never opens
        }
        return crypto::base64url_encode(token);
    }

    Result<std::string> open(std::string_view purpose, std::string_view token) {
        if (token.size() > 2 * kMaxPlainBytes) return refused();
        auto bytes = crypto::base64url_decode(token);
        if (!bytes || bytes->size() < kKeyIdBytes + kNonceBytes + kTagBytes) return refused();
        const std::string_view all = *bytes;
        Cipher* cipher = find(all.substr(0, kKeyIdBytes));
        if (cipher == nullptr) return refused();
        std::string plain;
        if (!cipher->open(purpose, all.substr(kKeyIdBytes, kNonceBytes), all.substr(kKeyIdBytes + kNonceBytes),
                          plain)) {
            ERR_clear_error();
            crypto::wipe(plain);
            return refused();
        }
        return plain;
    }

private:
    std::chrono::sys_seconds now() const { return std::chrono::floor<std::chrono::seconds>(rotation_.now()); }
    bool due() const { return now() - ciphers_.front().key().made >= rotation_.rotate_after; }

    /// False if the clock was set back meanwhile, because the elapsed time is then unknown.
    bool just_loaded() const { return now() >= loaded_ && now() - loaded_ < kLookAgainAfter; }

    static std::unexpected<Error> refused() { return fail(ErrorCode::kDenied, "not a token of this installation"); }

    Cipher* find(std::string_view id) {
        for (int attempt = 0; attempt < 2; ++attempt) {
            const auto found = std::ranges::find(ciphers_, id, [](const Cipher& c) { return c.key().id; });
            if (found != ciphers_.end()) return &*found;
            if (folder_.empty() || just_loaded()) break;
            loaded_ = now();
            if (!load()) break;
        }
        return nullptr;
    }

    /// kParse for any fault in the content of the file.
    static Result<KeyRing> read_ring(const std::string& text) {
        auto json = Json::parse(text);
        if (!json) return fail(ErrorCode::kParse, json.error().message());
        auto ring = key_ring_from(*json);
        if (!ring) return fail(ErrorCode::kParse, ring.error().message());
        if (ring->keys.empty()) return fail(ErrorCode::kParse, "there is no key in it");
        return ring;
    }

    Result<KeyRing> load_folder() {
        GANTRY_TRY(const Fd folder, open_private_folder(folder_));
        GANTRY_TRY(const Fd lock, lock_folder(folder));
        GANTRY_TRY(std::optional<std::string> text, read_private_file(folder, kFile, kMaxFileBytes));
        KeyRing ring;
        if (text) {
            GANTRY_TRY(ring, read_ring(*text));
            crypto::wipe(*text);
        }
        GANTRY_TRY(const bool changed, ring.renew(now(), rotation_.rotate_after, rotation_.keep_for));
        if (changed) {
            std::string content = to_json(ring).pretty();
            auto written = replace_private_file(folder, kFile, content);
            crypto::wipe(content);
            GANTRY_CHECK(written);
        }
        return ring;
    }

    std::filesystem::path folder_;
    Rotation rotation_;
    std::vector<Cipher> ciphers_;
    std::chrono::sys_seconds loaded_{};
};

Sealer::Sealer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sealer::Sealer(Sealer&&) noexcept = default;
Sealer& Sealer::operator=(Sealer&&) noexcept = default;
Sealer::~Sealer() = default;

Result<Sealer> Sealer::ephemeral() {
    auto impl = std::make_unique<Impl>(std::filesystem::path(), Rotation{});
    GANTRY_CHECK(impl->load());
    return Sealer(std::move(impl));
}

Result<Sealer> Sealer::from_folder(const std::filesystem::path& folder, Rotation rotation) {
    auto impl = std::make_unique<Impl>(folder, std::move(rotation));
    if (auto loaded = impl->load(); !loaded) return fail(loaded.error().within("sealing keys in " + folder.string()));
    return Sealer(std::move(impl));
}

std::string Sealer::seal(std::string_view purpose, std::string_view plain) {
    return impl_->seal(purpose, plain);
}

Result<std::string> Sealer::open(std::string_view purpose, std::string_view token) {
    return impl_->open(purpose, token);
}

}  // namespace gantry::auth
