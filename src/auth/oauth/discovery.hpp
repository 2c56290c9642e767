#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/oauth/challenge.hpp"
#include "auth/oauth/fetch.hpp"
#include "auth/oauth/metadata.hpp"

namespace gantry::auth {

/// Where a server's RFC 9728 document may be, in the order to try: with the path, then at the root.
std::vector<std::string> resource_metadata_urls(const Url& server);
/// Where an issuer's document may be, in the order to try: RFC 8414, then OpenID Connect in both spellings.
std::vector<std::string> server_metadata_urls(const Url& issuer);

struct Discovery {
    std::optional<ResourceMetadata> resource;  // absent for a server of 2025-03-26
    ServerMetadata server;
};

/// Finds out who may authorize access to `server`.
///
/// The challenge's URL first, then the well-known places. With several authorization servers the one named `preferred`
/// is taken, else the first. The issuer in the document must be the issuer asked for, byte for byte. Without
/// any resource metadata the server is taken for one of 2025-03-26: metadata at its root, else the fixed endpoints
/// there.
Task<Result<Discovery>> discover(const Context& ctx, const Fetch& fetch, const Url& server,
                                 const AuthChallenge& challenge, std::string_view preferred);

/// The metadata of one issuer, e.g. of an enterprise's identity provider.
Task<Result<ServerMetadata>> discover_issuer(const Context& ctx, const Fetch& fetch, std::string issuer);

}  // namespace gantry::auth
