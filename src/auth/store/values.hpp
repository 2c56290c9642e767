#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::auth {

/// Tokens an authorization server issued for one resource.
struct Tokens {
    std::string access_token;
    std::string token_type;  // "Bearer" or "DPoP", as used in the Authorization header
    std::string refresh_token;
    std::string scope;
    std::optional<std::int64_t> expires_at;  // seconds since 1970
    std::string dpop_key;                    // PEM; the tokens are bound to it

    friend bool operator==(const Tokens&, const Tokens&) = default;
};

/// Our client at one authorization server.
struct ClientRegistration {
    std::string client_id;
    std::string client_secret;
    std::string auth_method;                        // token_endpoint_auth_method; empty: not specified
    std::string redirect_uri;                       // the registered one
    std::optional<std::int64_t> secret_expires_at;  // seconds since 1970

    friend bool operator==(const ClientRegistration&, const ClientRegistration&) = default;
};

/// The credentials that belong to one server, so that a new process finds them without contacting the server first.
struct ServerBinding {
    std::string issuer;
    std::string client_id;
    std::string resource;
    std::string scope;  // union of the granted and requested scopes

    friend bool operator==(const ServerBinding&, const ServerBinding&) = default;
};

std::string to_text(const Tokens& value);
std::string to_text(const ClientRegistration& value);
std::string to_text(const ServerBinding& value);

Result<Tokens> parse_tokens(std::string_view text);
Result<ClientRegistration> parse_registration(std::string_view text);
Result<ServerBinding> parse_binding(std::string_view text);

}  // namespace gantry::auth
