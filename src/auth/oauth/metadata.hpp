#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/url.hpp"
#include "gantry/error.hpp"

namespace gantry::auth {

/// RFC 9728, as far as a client needs it. Strings are kept byte for byte.
struct ResourceMetadata {
    std::string resource;
    std::vector<std::string> authorization_servers;  // never empty
    std::vector<std::string> scopes_supported;
    bool dpop_required = false;
};

/// RFC 8414 and OpenID Connect Discovery, as far as a client needs it.
struct ServerMetadata {
    std::string issuer;
    std::string authorization_endpoint;
    std::string token_endpoint;
    std::string registration_endpoint;
    std::vector<std::string> scopes_supported;
    std::vector<std::string> grant_types;
    /// Absent and empty are different for these.
    std::optional<std::vector<std::string>> code_challenge_methods;
    std::optional<std::vector<std::string>> token_auth_methods;
    std::vector<std::string> token_auth_algs;
    std::vector<std::string> dpop_algs;
    bool iss_parameter = false;        // RFC 9207
    bool client_id_documents = false;  // client_id_metadata_document_supported
    bool legacy = false;               // 2025-03-26 style: no resource metadata, endpoints at the server's root
};

Result<ResourceMetadata> parse_resource_metadata(std::string_view body);
/// Does not compare the issuer, because only the caller knows which one was requested.
Result<ServerMetadata> parse_server_metadata(std::string_view body);

/// The document must describe this server: same origin, and a path equal to the server's or a parent of it.
Result<void> check_resource(const ResourceMetadata& metadata, const Url& server);

/// Secrets are only sent over https, or to this machine.
Result<Url> parse_secure_url(std::string_view text, std::string_view what);

bool contains(const std::vector<std::string>& list, std::string_view value) noexcept;

}  // namespace gantry::auth
