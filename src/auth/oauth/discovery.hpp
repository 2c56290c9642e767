#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/oauth/challenge.hpp"
#include "auth/oauth/fetch.hpp"
#include "auth/oauth/metadata.hpp"

namespace gantry::auth {

/// Candidate URLs of a server's RFC 9728 document, in order: with the path, then at the root.
std::vector<std::string> resource_metadata_urls(const Url& server);
/// Candidate URLs of an issuer's metadata, in order: RFC 8414, then OpenID Connect in both spellings.
std::vector<std::string> server_metadata_urls(const Url& issuer);

struct Discovery {
    std::optional<ResourceMetadata> resource;  // absent for a server of 2025-03-26
    ServerMetadata server;
};

/// Finds the authorization server for `server`.
///
/// Tries the challenge's URL first, then the well-known locations. Of several authorization servers the one named
/// `preferred` is used, else the first. The issuer in the document must equal the requested one, byte for byte. Without
/// any resource metadata the server is treated as one of 2025-03-26: metadata at its root, else fixed endpoints.
Task<Result<Discovery>> discover(const Context& ctx, const Fetch& fetch, const Url& server,
                                 const AuthChallenge& challenge, std::string_view preferred);

/// The metadata of one issuer, e.g. of an enterprise's identity provider.
Task<Result<ServerMetadata>> discover_issuer(const Context& ctx, const Fetch& fetch, std::string issuer);

}  // namespace gantry::auth
