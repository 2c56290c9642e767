#pragma once

#include <functional>
#include <string>

#include "auth/oauth/scopes.hpp"
#include "auth/oauth/token_endpoint.hpp"
#include "auth/oauth/user_agent.hpp"

namespace gantry::auth {

/// Supplies a secret on demand: an ID token, a workload's JWT. `audience` is the issuer it will be presented to.
using AssertionSource = std::function<Task<Result<std::string>>(const Context& ctx, std::string audience)>;

/// The target of the tokens. `resource` is sent byte for byte as the server published it; empty omits it.
struct GrantTarget {
    std::string resource;
    Scopes scope;
};

/// A user consents in a browser.
Task<Result<Tokens>> authorization_code_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                              UserAgent& agent, std::string redirect_uri);

Task<Result<Tokens>> client_credentials_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target);

/// RFC 7523: authorizes with a JWT that the authorization server trusts. A rejection is final: there is no retry and no
/// other grant is tried.
Task<Result<Tokens>> jwt_bearer_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                      std::string assertion);

/// RFC 6749 section 6. Returns the whole reply, because the caller decides what a rejection means.
Task<Result<TokenReply>> refresh_grant(const Context& ctx, const TokenEndpoint& endpoint, std::string refresh_token,
                                       std::string resource, std::string scope);

/// Enterprise-managed authorization, first half (RFC 8693): the identity provider exchanges the user's ID token for a
/// grant (ID-JAG) for `issuer`.
Task<Result<std::string>> exchange_for_id_jag(const Context& ctx, const TokenEndpoint& provider, GrantTarget target,
                                              std::string issuer, std::string id_token);

}  // namespace gantry::auth
