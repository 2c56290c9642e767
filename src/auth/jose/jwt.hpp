#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/jose/jws.hpp"

namespace gantry::jose {

using WallTime = std::chrono::system_clock::time_point;

/// Requirements for accepting a JWT. Empty strings and lists disable a check, except times.
struct ClaimsPolicy {
    std::string issuer = {};                  // compared byte for byte
    std::vector<std::string> audiences = {};  // one of them must be in aud
    std::vector<std::string> types = {};      // header typ, without case and without "application/"
    std::chrono::seconds leeway{60};          // for exp, nbf and iat, to allow for clock skew
    bool require_expiry = true;
    std::optional<std::chrono::seconds> max_age = {};  // since iat, which is then required
};

/// Fails with kUnauthorized and the name of the violated claim. Numeric dates may have a fraction; a claim of the
/// wrong type fails.
Result<void> check_claims(const Json& claims, const ClaimsPolicy& policy,
                          WallTime now = std::chrono::system_clock::now());

/// Verifies signature, typ and claims, in this order; returns the claims.
Result<Json> verify_jwt(std::string_view token, const KeySet& keys, const ClaimsPolicy& policy,
                        const VerifyOptions& options = {}, WallTime now = std::chrono::system_clock::now());

/// `typ` is omitted if empty; kid comes from the key.
Result<std::string> sign_jwt(const JsonObject& claims, const Key& key, Alg alg, std::string_view typ = "JWT");

/// Seconds since 1970 for exp, iat and nbf.
std::int64_t to_numeric_date(WallTime time) noexcept;

}  // namespace gantry::jose
