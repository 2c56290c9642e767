#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gantry/error.hpp"
#include "io/http/headers.hpp"

namespace gantry::auth {

/// One challenge of RFC 9110 section 11.6.1.
struct Challenge {
    std::string scheme;                                       // lower case
    std::string token68;                                      // e.g. for Negotiate
    std::vector<std::pair<std::string, std::string>> params;  // names in lower case, each once

    /// Empty when absent.
    std::string_view get(std::string_view name) const noexcept;
};

/// All challenges of one WWW-Authenticate field value.
Result<std::vector<Challenge>> parse_challenges(std::string_view field);

/// What an MCP server's refusal tells an OAuth client.
struct AuthChallenge {
    bool present = false;  // a Bearer or DPoP challenge was there
    bool dpop = false;     // the server takes DPoP tokens
    std::string resource_metadata;
    std::string scope;
    std::string error;
};

/// Looks through every WWW-Authenticate field; one that cannot be read is passed over.
AuthChallenge read_challenge(const http::Headers& headers);

}  // namespace gantry::auth
