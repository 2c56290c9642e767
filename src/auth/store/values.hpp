#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::auth {

/// What an authorization server gave us for one resource.
struct Tokens {
    std::string access_token;
    std::string token_type;  // "Bearer" or "DPoP", as it goes into the Authorization header
    std::string refresh_token;
    std::string scope;
    std::optional<std::int64_t> expires_at;  // seconds since 1970
    std::string dpop_key;                    // PEM; the tokens are bound to it

    friend bool operator==(const Tokens&, const Tokens&) = default;
};

/// Who we are at one authorization server.
struct ClientRegistration {
    std::string client_id;
    std::string client_secret;
    std::string auth_method;                        // token_endpoint_auth_method; empty: not said
    std::string redirect_uri;                       // the one registered
    std::optional<std::int64_t> secret_expires_at;  // seconds since 1970

    friend bool operator==(const ClientRegistration&, const ClientRegistration&) = default;
};

/// Which credentials belong to one server, so that a new process finds them without asking the server first.
struct ServerBinding {
    std::string issuer;
    std::string client_id;
    std::string resource;
    std::string scope;  // everything granted or asked for so far

    friend bool operator==(const ServerBinding&, const ServerBinding&) = default;
};

std::string to_text(const Tokens& value);
std::string to_text(const ClientRegistration& value);
std::string to_text(const ServerBinding& value);

Result<Tokens> parse_tokens(std::string_view text);
Result<ClientRegistration> parse_registration(std::string_view text);
Result<ServerBinding> parse_binding(std::string_view text);

}  // namespace gantry::auth
