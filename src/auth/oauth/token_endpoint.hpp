#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/oauth/client_identity.hpp"
#include "auth/oauth/dpop.hpp"
#include "auth/oauth/fetch.hpp"
#include "auth/oauth/form.hpp"
#include "auth/oauth/metadata.hpp"
#include "auth/store/values.hpp"

namespace gantry::auth {

/// Context of a token request besides its own parameters. The references must outlive the request.
struct TokenEndpoint {
    const Fetch& fetch;
    const ServerMetadata& server;
    const ClientIdentity& identity;
    DpopProver* dpop = nullptr;  // null: request bearer tokens
    jose::WallTime now;
};

/// The response: tokens, or the error code of RFC 6749 section 5.2.
struct TokenReply {
    std::optional<Tokens> tokens;
    std::string issued_token_type;  // RFC 8693
    std::string error;
};

/// Authenticates, proves possession, and retries once if the server supplies a nonce. An Error means that there was no
/// OAuth response. `asked_scope` is the scope if the response has none.
Task<Result<TokenReply>> request_tokens(const Context& ctx, const TokenEndpoint& endpoint, Form form,
                                        std::string asked_scope);

/// Has only the error code, restricted to legal characters: descriptions may echo secrets.
Error refusal(std::string_view what, std::string_view oauth_error);

}  // namespace gantry::auth
