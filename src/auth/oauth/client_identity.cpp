#include "auth/oauth/client_identity.hpp"

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

using Method = ClientIdentity::Method;

constexpr std::string_view kAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
constexpr std::chrono::seconds kAssertionLife{60};

bool takes(const ServerMetadata& server, Method method) {
    // RFC 8414: without a list it is client_secret_basic. In practice a server without a list accepts whatever suits
    // the client's kind, so only an explicit list is a reason to reject.
    return !server.token_auth_methods || contains(*server.token_auth_methods, to_string(method));
}

Result<std::string> make_assertion(const ClientIdentity& identity, const ServerMetadata& server, jose::WallTime now) {
    std::optional<jose::Alg> alg = identity.key->default_alg();
    // An RSA key supports several: use one the server lists.
    for (const std::string& name : server.token_auth_algs) {
        const auto listed = jose::parse_alg(name);
        const bool fits = alg && contains(server.token_auth_algs, jose::to_string(*alg));
        if (!fits && listed && identity.key->permits(*listed, jose::Operation::kSign)) alg = listed;
    }
    if (!alg) return fail(ErrorCode::kInvalidArgument, "the private key cannot sign");
    GANTRY_TRY(const std::string unique, crypto::random_bytes(16));
    const JsonObject claims{{"iss", identity.client_id},
                            {"sub", identity.client_id},
                            {"aud", server.issuer},
                            {"jti", crypto::base64url_encode(unique)},
                            {"iat", jose::to_numeric_date(now)},
                            {"exp", jose::to_numeric_date(now + kAssertionLife)}};
    return jose::sign_jwt(claims, *identity.key, *alg);
}

}  // namespace

std::string_view to_string(Method method) noexcept {
    switch (method) {
        case Method::kNone: return "none";
        case Method::kSecretBasic: return "client_secret_basic";
        case Method::kSecretPost: return "client_secret_post";
        case Method::kPrivateKeyJwt: return "private_key_jwt";
    }
    return "none";
}

Result<ClientIdentity> choose_identity(const ClientRegistration& registration, std::optional<jose::Key> key,
                                       const ServerMetadata& server) {
    ClientIdentity out{registration.client_id, registration.client_secret, std::move(key), Method::kNone};
    const auto able = [&](Method method) {
        switch (method) {
            case Method::kNone: return true;
            case Method::kSecretBasic:
            case Method::kSecretPost: return !out.client_secret.empty();
            case Method::kPrivateKeyJwt: return out.key.has_value();
        }
        return false;
    };
    constexpr Method kByStrength[] = {Method::kPrivateKeyJwt, Method::kSecretBasic, Method::kSecretPost, Method::kNone};
    for (const Method method : kByStrength) {
        if (registration.auth_method == to_string(method) && able(method)) {
            out.method = method;
            return out;
        }
    }
    for (const Method method : kByStrength) {
        if (able(method) && takes(server, method)) {
            out.method = method;
            return out;
        }
    }
    return fail(ErrorCode::kUnsupported,
                "the authorization server accepts none of the ways this client can authenticate at its token endpoint");
}

Result<void> authenticate(const ClientIdentity& identity, const ServerMetadata& server, jose::WallTime now, Form& form,
                          http::Headers& headers) {
    switch (identity.method) {
        case Method::kNone: form.add("client_id", identity.client_id); break;
        case Method::kSecretBasic:
            headers.set("Authorization", "Basic " + crypto::base64_encode(percent_encode(identity.client_id) + ":" +
                                                                          percent_encode(identity.client_secret)));
            break;
        case Method::kSecretPost:
            form.add("client_id", identity.client_id);
            form.add("client_secret", identity.client_secret);
            break;
        case Method::kPrivateKeyJwt: {
            GANTRY_TRY(const std::string assertion, make_assertion(identity, server, now));
            form.add("client_id", identity.client_id);
            form.add("client_assertion_type", kAssertionType);
            form.add("client_assertion", assertion);
            break;
        }
    }
    return {};
}

}  // namespace gantry::auth
