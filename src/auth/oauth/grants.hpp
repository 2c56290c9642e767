#pragma once

#include <functional>
#include <string>

#include "auth/oauth/scopes.hpp"
#include "auth/oauth/token_endpoint.hpp"
#include "auth/oauth/user_agent.hpp"

namespace gantry::auth {

/// Gives a secret when it is needed: an ID token, a workload's JWT. `audience` is the issuer it will be shown to.
using AssertionSource = std::function<Task<Result<std::string>>(const Context& ctx, std::string audience)>;

/// What the tokens are for. `resource` goes out byte for byte as the server published it; empty leaves it out.
struct GrantTarget {
    std::string resource;
    Scopes scope;
};

/// A person agrees in a browser.
Task<Result<Tokens>> authorization_code_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                              UserAgent& agent, std::string redirect_uri);

Task<Result<Tokens>> client_credentials_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target);

/// RFC 7523: a JWT that the authorization server trusts speaks for us. A refusal is final: nothing is retried and no
/// other grant is tried.
Task<Result<Tokens>> jwt_bearer_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                      std::string assertion);

/// RFC 6749 section 6. The reply, not only its tokens: the caller decides what a refusal means.
Task<Result<TokenReply>> refresh_grant(const Context& ctx, const TokenEndpoint& endpoint, std::string refresh_token,
                                       std::string resource, std::string scope);

/// Enterprise-managed authorization, first half (RFC 8693): the identity provider turns the person's ID token into a
/// grant (ID-JAG) for `issuer`.
Task<Result<std::string>> exchange_for_id_jag(const Context& ctx, const TokenEndpoint& provider, GrantTarget target,
                                              std::string issuer, std::string id_token);

}  // namespace gantry::auth
