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

/// Everything a token request needs besides its own parameters. The references outlive the request.
struct TokenEndpoint {
    const Fetch& fetch;
    const ServerMetadata& server;
    const ClientIdentity& identity;
    DpopProver* dpop = nullptr;  // null: ask for bearer tokens
    jose::WallTime now;
};

/// What came back: tokens, or the error code of RFC 6749 section 5.2.
struct TokenReply {
    std::optional<Tokens> tokens;
    std::string issued_token_type;  // RFC 8693
    std::string error;
};

/// Authenticates, proves possession, repeats once when the server hands out a nonce. An Error means that there was no
/// OAuth answer. `asked_scope` stands in when the answer names no scope.
Task<Result<TokenReply>> request_tokens(const Context& ctx, const TokenEndpoint& endpoint, Form form,
                                        std::string asked_scope);

/// Only the error code, and only its legal characters: descriptions may echo what they describe.
Error refusal(std::string_view what, std::string_view oauth_error);

}  // namespace gantry::auth
