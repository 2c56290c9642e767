#include "auth/oauth/code_flow.hpp"

#include "auth/oauth/form.hpp"
#include "auth/oauth/token_endpoint.hpp"
#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

Result<void> check_pkce(const ServerMetadata& server) {
    if (!server.code_challenge_methods && server.legacy) return {};
    if (!server.code_challenge_methods || !contains(*server.code_challenge_methods, "S256"))
        return fail(ErrorCode::kUnsupported,
                    "the authorization server does not offer PKCE with S256; authorizing there would not be safe");
    return {};
}

}  // namespace

std::string s256_challenge(std::string_view verifier) {
    return crypto::base64url_encode(crypto::sha256(verifier));
}

Result<CodeRequest> begin_code_flow(const ServerMetadata& server, std::string_view client_id, std::string redirect_uri,
                                    const Scopes& scope, std::string_view resource) {
    GANTRY_CHECK(check_pkce(server));
    if (server.authorization_endpoint.empty())
        return fail(ErrorCode::kProtocol, "the authorization server has no authorization endpoint");
    GANTRY_TRY(const Url endpoint, parse_secure_url(server.authorization_endpoint, "the authorization endpoint"));
    GANTRY_TRY(const std::string state, crypto::random_bytes(24));
    GANTRY_TRY(const std::string verifier, crypto::random_bytes(32));
    CodeRequest out;
    out.state = crypto::base64url_encode(state);
    out.verifier = crypto::base64url_encode(verifier);
    out.redirect_uri = std::move(redirect_uri);
    out.issuer = server.issuer;
    out.iss_required = server.iss_parameter;
    Form form;
    form.add("response_type", "code");
    form.add("client_id", client_id);
    form.add("redirect_uri", out.redirect_uri);
    form.add("state", out.state);
    form.add("code_challenge", s256_challenge(out.verifier));
    form.add("code_challenge_method", "S256");
    form.add_if("scope", scope.text());
    form.add_if("resource", resource);
    // OpenID Connect issues a refresh token for offline_access only after consent.
    if (scope.contains("offline_access")) form.add("prompt", "consent");
    const std::string base = endpoint.text().substr(0, endpoint.text().find('#'));
    out.url = base + (base.find('?') == std::string::npos ? '?' : '&') + form.text();
    return out;
}

Result<std::string> take_code(const CodeRequest& request, const AuthorizationResponse& response) {
    if (!crypto::equal_constant_time(response.state, request.state))
        return fail(ErrorCode::kDenied, "the authorization response does not belong to this request (state)");
    if (response.has_iss ? response.iss != request.issuer : request.iss_required)
        return fail(ErrorCode::kDenied,
                    "the authorization response does not come from the authorization server that was asked (iss)");
    if (!response.error.empty()) return fail(refusal("the authorization", response.error));
    if (response.code.empty()) return fail(ErrorCode::kProtocol, "the authorization response has no code");
    return response.code;
}

}  // namespace gantry::auth
