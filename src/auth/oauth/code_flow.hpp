#pragma once

#include <string>

#include "auth/oauth/metadata.hpp"
#include "auth/oauth/scopes.hpp"
#include "auth/oauth/user_agent.hpp"

namespace gantry::auth {

/// One trip of a person to the authorization server: what was sent, and so what may come back.
struct CodeRequest {
    std::string url;
    std::string state;
    std::string verifier;  // PKCE; goes to the token endpoint only
    std::string redirect_uri;
    std::string issuer;  // recorded before the redirect (RFC 9207)
    bool iss_required = false;
};

/// Refuses a server that does not say it does PKCE with S256; one of 2025-03-26 may be silent about it.
Result<CodeRequest> begin_code_flow(const ServerMetadata& server, std::string_view client_id, std::string redirect_uri,
                                    const Scopes& scope, std::string_view resource);

/// The code, once the response is shown to come from the server that was asked: `state`, then `iss` byte for byte,
/// and only then what it says.
Result<std::string> take_code(const CodeRequest& request, const AuthorizationResponse& response);

/// RFC 7636: base64url(SHA-256(verifier)).
std::string s256_challenge(std::string_view verifier);

}  // namespace gantry::auth
