#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/jose/jwt.hpp"
#include "auth/oauth/form.hpp"
#include "auth/oauth/metadata.hpp"
#include "auth/store/values.hpp"
#include "io/http/headers.hpp"

namespace gantry::auth {

/// Our client id at one token endpoint, and how to authenticate.
struct ClientIdentity {
    enum class Method : std::uint8_t { kNone, kSecretBasic, kSecretPost, kPrivateKeyJwt };

    std::string client_id;
    std::string client_secret;
    std::optional<jose::Key> key;
    Method method = Method::kNone;
};

/// The `token_endpoint_auth_method` of RFC 7591.
std::string_view to_string(ClientIdentity::Method method) noexcept;

/// The strongest method both sides support: private key, secret in the header, secret in the body, none. A method
/// fixed by the registration is kept. kUnsupported if the server supports none of ours.
Result<ClientIdentity> choose_identity(const ClientRegistration& registration, std::optional<jose::Key> key,
                                       const ServerMetadata& server);

/// Adds what the method requires: header fields or parameters. The assertion's audience is the issuer.
Result<void> authenticate(const ClientIdentity& identity, const ServerMetadata& server, jose::WallTime now, Form& form,
                          http::Headers& headers);

}  // namespace gantry::auth
