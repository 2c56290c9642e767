#include "auth/jose/jwt.hpp"

#include <algorithm>
#include <cmath>

#include "base/try.hpp"

namespace gantry::jose {
namespace {

constexpr JsonLimits kClaimLimits{.max_bytes = 256u << 10, .max_depth = 32};

std::unexpected<Error> refuse(std::string_view claim, std::string_view why) {
    return fail(ErrorCode::kUnauthorized, "claim \"" + std::string(claim) + "\" " + std::string(why));
}

/// Seconds, or empty if absent.
Result<std::optional<double>> date(const Json& claims, std::string_view name) {
    const Json* value = claims.find(name);
    if (!value) return std::optional<double>();
    const auto seconds = value->as_double();
    if (!seconds || !std::isfinite(*seconds)) return refuse(name, "is not a date");
    return seconds;
}

bool audience_fits(const Json& aud, const std::vector<std::string>& accepted) {
    const auto is_accepted = [&](const std::string& name) {
        return std::find(accepted.begin(), accepted.end(), name) != accepted.end();
    };
    if (const std::string* one = aud.if_string()) return is_accepted(*one);
    const JsonArray* many = aud.if_array();
    if (!many) return false;
    bool found = false;
    for (const Json& item : *many) {
        const std::string* name = item.if_string();
        if (!name) return false;
        found = found || is_accepted(*name);
    }
    return found;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return out;
}

Result<void> check_type(const Json& header, const ClaimsPolicy& policy) {
    if (policy.types.empty()) return {};
    std::string typ = lower(header.string_at("typ"));
    if (typ.starts_with("application/")) typ.erase(0, std::string_view("application/").size());
    for (const std::string& type : policy.types)
        if (typ == lower(type)) return {};
    return fail(ErrorCode::kUnauthorized, "the token is of another type");
}

}  // namespace

std::int64_t to_numeric_date(WallTime time) noexcept {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Result<void> check_claims(const Json& claims, const ClaimsPolicy& policy, WallTime now) {
    if (!claims.is_object()) return fail(ErrorCode::kUnauthorized, "the claims are not an object");
    const double at = std::chrono::duration<double>(now.time_since_epoch()).count();
    const double leeway = static_cast<double>(policy.leeway.count());

    if (!policy.issuer.empty() && claims.string_at("iss") != policy.issuer)
        return refuse("iss", "names another issuer");
    if (!policy.audiences.empty()) {
        const Json* aud = claims.find("aud");
        if (!aud || !audience_fits(*aud, policy.audiences)) return refuse("aud", "names another audience");
    }
    GANTRY_TRY(const auto exp, date(claims, "exp"));
    if (!exp && policy.require_expiry) return refuse("exp", "is missing");
    if (exp && at >= *exp + leeway) return refuse("exp", "is in the past");
    GANTRY_TRY(const auto nbf, date(claims, "nbf"));
    if (nbf && at < *nbf - leeway) return refuse("nbf", "is in the future");
    GANTRY_TRY(const auto iat, date(claims, "iat"));
    if (iat && at < *iat - leeway) return refuse("iat", "is in the future");
    if (policy.max_age) {
        if (!iat) return refuse("iat", "is missing");
        if (at > *iat + static_cast<double>(policy.max_age->count()) + leeway) return refuse("iat", "is too old");
    }
    return {};
}

Result<Json> verify_jwt(std::string_view token, const KeySet& keys, const ClaimsPolicy& policy,
                        const VerifyOptions& options, WallTime now) {
    GANTRY_TRY(const Jws jws, verify(token, keys, options));
    GANTRY_CHECK(check_type(jws.header, policy));
    GANTRY_TRY(Json claims, Json::parse(jws.payload, kClaimLimits));
    GANTRY_CHECK(check_claims(claims, policy, now));
    return claims;
}

Result<std::string> sign_jwt(const JsonObject& claims, const Key& key, Alg alg, std::string_view typ) {
    JsonObject header;
    if (!typ.empty()) header.set("typ", Json(typ));
    if (!key.kid().empty()) header.set("kid", Json(key.kid()));
    return sign(header, Json(claims).dump(), key, alg);
}

}  // namespace gantry::jose
