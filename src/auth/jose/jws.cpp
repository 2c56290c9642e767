#include "auth/jose/jws.hpp"

#include <algorithm>
#include <array>

#include "base/crypto/base64url.hpp"
#include "base/try.hpp"

namespace gantry::jose {
namespace {

constexpr JsonLimits kHeaderLimits{.max_bytes = 16u << 10, .max_depth = 8};
constexpr std::size_t kMaxKeysTried = 8;  // bounds the work a token without kid can cause

struct Parts {
    std::string_view header, payload, signature, signing_input;
};

Result<Parts> split(std::string_view compact) {
    const std::size_t first = compact.find('.');
    const std::size_t second = first == std::string_view::npos ? first : compact.find('.', first + 1);
    if (second == std::string_view::npos || compact.find('.', second + 1) != std::string_view::npos)
        return fail(ErrorCode::kParse, "a compact JWS has three parts");
    return Parts{compact.substr(0, first), compact.substr(first + 1, second - first - 1), compact.substr(second + 1),
                 compact.substr(0, second)};
}

/// RFC 7515 4.1.11: non-empty, no repeats, only extensions, each present, each understood.
Result<void> check_critical(const Json& header, const VerifyOptions& options) {
    const Json* critical = header.find("crit");
    if (!critical) return {};
    constexpr std::array<std::string_view, 11> kRegistered{"alg", "jku", "jwk",      "kid", "x5u", "x5c",
                                                           "x5t", "typ", "x5t#S256", "cty", "crit"};
    const JsonArray* names = critical->if_array();
    if (!names || names->empty()) return fail(ErrorCode::kParse, "\"crit\" is not a list of names");
    std::vector<std::string_view> seen;
    for (const Json& item : *names) {
        const std::string* name = item.if_string();
        if (!name || std::find(kRegistered.begin(), kRegistered.end(), *name) != kRegistered.end() ||
            std::find(seen.begin(), seen.end(), *name) != seen.end() || !header.find(*name))
            return fail(ErrorCode::kParse, "\"crit\" breaks its rules");
        const auto& known = options.understood_critical;
        if (std::find(known.begin(), known.end(), *name) == known.end())
            return fail(ErrorCode::kUnsupported, "the token demands an extension that is not understood");
        seen.push_back(*name);
    }
    return {};
}

Result<Jws> decode(const Parts& parts, const VerifyOptions& options) {
    GANTRY_TRY(const std::string header_text, crypto::base64url_decode(parts.header));
    GANTRY_TRY(Json header, Json::parse(header_text, kHeaderLimits));
    if (!header.is_object()) return fail(ErrorCode::kParse, "the JWS header is not an object");
    const auto alg = parse_alg(header.string_at("alg"));
    if (!alg) return fail(ErrorCode::kDenied, "the token's algorithm is not accepted");
    if (!options.algorithms.empty() &&
        std::find(options.algorithms.begin(), options.algorithms.end(), *alg) == options.algorithms.end())
        return fail(ErrorCode::kDenied, "the token's algorithm is not accepted");
    GANTRY_CHECK(check_critical(header, options));
    // RFC 7797 changes what is signed; such a token must not be treated as an ordinary one.
    if (header.find("b64")) return fail(ErrorCode::kUnsupported, "unencoded payloads are not supported");
    const Json* kid = header.find("kid");
    if (kid && !kid->is_string()) return fail(ErrorCode::kParse, "\"kid\" is not a string");
    std::string kid_text(header.string_at("kid"));
    GANTRY_TRY(std::string payload, crypto::base64url_decode(parts.payload));
    return Jws{std::move(header), std::move(payload), *alg, std::move(kid_text)};
}

Result<Parts> split_within(std::string_view compact, const VerifyOptions& options) {
    if (compact.size() > options.max_bytes) return fail(ErrorCode::kLimit, "the token is too long");
    return split(compact);
}

}  // namespace

Result<Jws> decode_unverified(std::string_view compact, const VerifyOptions& options) {
    GANTRY_TRY(const Parts parts, split_within(compact, options));
    return decode(parts, options);
}

Result<Jws> verify(std::string_view compact, const Key& key, const VerifyOptions& options) {
    GANTRY_TRY(const Parts parts, split_within(compact, options));
    GANTRY_TRY(Jws jws, decode(parts, options));
    GANTRY_TRY(const std::string signature, crypto::base64url_decode(parts.signature));
    GANTRY_CHECK(key.verify(jws.alg, parts.signing_input, signature));
    return jws;
}

Result<Jws> verify(std::string_view compact, const KeySet& keys, const VerifyOptions& options) {
    GANTRY_TRY(const Parts parts, split_within(compact, options));
    GANTRY_TRY(Jws jws, decode(parts, options));
    GANTRY_TRY(const std::string signature, crypto::base64url_decode(parts.signature));
    const auto candidates = keys.candidates(jws.alg, jws.kid);
    if (candidates.empty()) return fail(ErrorCode::kUnauthorized, "no key of the set fits the token");
    if (candidates.size() > kMaxKeysTried) return fail(ErrorCode::kLimit, "too many keys of the set fit the token");
    for (const Key* key : candidates)
        if (key->verify(jws.alg, parts.signing_input, signature)) return jws;
    return fail(ErrorCode::kUnauthorized, "the signature is not valid");
}

Result<std::string> sign(const JsonObject& header, std::string_view payload, const Key& key, Alg alg) {
    JsonObject full{{"alg", Json(to_string(alg))}};
    for (const auto& [name, value] : header) {
        if (name == "alg" || name == "crit" || name == "b64")
            return fail(ErrorCode::kInvalidArgument, "a reserved header parameter cannot be set");
        full.set(name, value);
    }
    std::string input =
        crypto::base64url_encode(Json(std::move(full)).dump()) + "." + crypto::base64url_encode(payload);
    GANTRY_TRY(const std::string signature, key.sign(alg, input));
    return input + "." + crypto::base64url_encode(signature);
}

}  // namespace gantry::jose
