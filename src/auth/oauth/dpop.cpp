#include "auth/oauth/dpop.hpp"

#include "auth/jose/jws.hpp"
#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

constexpr std::size_t kMaxNonceBytes = 1024;
constexpr std::size_t kMaxOrigins = 64;

}  // namespace

Result<std::string> DpopProver::prove(std::string_view method, const Url& url, std::string_view access_token,
                                      jose::WallTime now) const {
    GANTRY_TRY(const std::string unique, crypto::random_bytes(16));
    JsonObject claims{{"jti", crypto::base64url_encode(unique)},
                      {"htm", Json(method)},
                      {"htu", Json(url.origin() + url.path())},
                      {"iat", jose::to_numeric_date(now)}};
    if (!access_token.empty()) claims.set("ath", crypto::base64url_encode(crypto::sha256(access_token)));
    if (const auto nonce = nonces_.find(url.origin()); nonce != nonces_.end()) claims.set("nonce", nonce->second);
    const JsonObject header{{"typ", "dpop+jwt"}, {"jwk", key_.public_jwk()}};
    return jose::sign(header, Json(std::move(claims)).dump(), key_, *key_.default_alg());
}

bool DpopProver::has_current_nonce(const Url& url, std::string_view proof) const {
    const auto decoded = jose::decode_unverified(proof);
    if (!decoded) return false;
    const auto claims = Json::parse(decoded->payload);
    if (!claims) return false;
    const auto known = nonces_.find(url.origin());
    return claims->string_at("nonce") == (known == nonces_.end() ? std::string_view() : known->second);
}

bool DpopProver::note_nonce(const Url& url, std::string_view nonce) {
    if (nonce.empty() || nonce.size() > kMaxNonceBytes) return false;
    if (nonces_.size() >= kMaxOrigins && !nonces_.contains(url.origin())) return false;
    std::string& known = nonces_[url.origin()];
    if (known == nonce) return false;
    known = nonce;
    return true;
}

}  // namespace gantry::auth
