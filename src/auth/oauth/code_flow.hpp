#pragma once

#include <string>

#include "auth/oauth/metadata.hpp"
#include "auth/oauth/scopes.hpp"
#include "auth/oauth/user_agent.hpp"

namespace gantry::auth {

/// One authorization request: what was sent, and hence what a response must match.
struct CodeRequest {
    std::string url;
    std::string state;
    std::string verifier;  // PKCE; sent to the token endpoint only
    std::string redirect_uri;
    std::string issuer;  // recorded before the redirect (RFC 9207)
    bool iss_required = false;
};

/// Fails unless the server declares PKCE with S256; only one of 2025-03-26 need not declare it.
Result<CodeRequest> begin_code_flow(const ServerMetadata& server, std::string_view client_id, std::string redirect_uri,
                                    const Scopes& scope, std::string_view resource);

/// Returns the code once the response is proven to come from the server that was asked: checks `state`, then `iss` byte
/// for byte, and only then the content.
Result<std::string> take_code(const CodeRequest& request, const AuthorizationResponse& response);

/// RFC 7636: base64url(SHA-256(verifier)).
std::string s256_challenge(std::string_view verifier);

}  // namespace gantry::auth
