#include "gateway/events/webhook_signature.hpp"

#include "base/crypto/base64url.hpp"
#include "base/crypto/sha256.hpp"
#include "base/try.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::string_view kPrefix = "whsec_";
/// Shorter keys are open to brute force.
constexpr std::size_t kShortest = 16;

Result<std::string> from_base64(std::string_view text) {
    std::string url(text.substr(0, text.find('=')));
    for (char& c : url) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return crypto::base64url_decode(url);
}

}  // namespace

Result<WebhookSigner> WebhookSigner::from(std::string_view secret) {
    std::string key(secret);
    if (secret.starts_with(kPrefix)) {
        auto decoded = from_base64(secret.substr(kPrefix.size()));
        if (!decoded) return fail(ErrorCode::kInvalidArgument, "the part of the secret after whsec_ is not base64");
        key = *std::move(decoded);
    }
    if (key.size() < kShortest)
        return fail(ErrorCode::kInvalidArgument, "the secret has fewer than " + std::to_string(kShortest) +
                                                     " bytes; make one with: openssl rand -base64 24");
    return WebhookSigner(std::move(key));
}

std::string WebhookSigner::sign(std::string_view id, std::int64_t unix_seconds, std::string_view body) const {
    std::string signed_text(id);
    signed_text.append(".").append(std::to_string(unix_seconds)).append(".").append(body);
    return "v1," + crypto::base64_encode(crypto::hmac_sha256(key_, signed_text));
}

}  // namespace gantry::gateway::events
