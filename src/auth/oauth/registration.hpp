#pragma once

#include <string>

#include "auth/oauth/fetch.hpp"
#include "auth/oauth/metadata.hpp"
#include "auth/oauth/scopes.hpp"
#include "auth/store/values.hpp"

namespace gantry::auth {

struct RegistrationRequest {
    std::string client_name;
    std::string redirect_uri;
    Scopes scope;
};

/// RFC 7591. Requests a public client if the server allows it, with application_type `native` for a loopback or
/// private-scheme redirect and `web` otherwise.
Task<Result<ClientRegistration>> register_client(const Context& ctx, const Fetch& fetch, const ServerMetadata& server,
                                                 RegistrationRequest wanted);

/// "native" or "web".
std::string_view application_type(std::string_view redirect_uri);

}  // namespace gantry::auth
