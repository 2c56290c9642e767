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

/// An MCP server's rejection, as far as an OAuth client needs it.
struct AuthChallenge {
    bool present = false;  // there was a Bearer or DPoP challenge
    bool dpop = false;     // the server accepts DPoP tokens
    std::string resource_metadata;
    std::string scope;
    std::string error;
};

/// Reads every WWW-Authenticate field; malformed ones are skipped.
AuthChallenge read_challenge(const http::Headers& headers);

}  // namespace gantry::auth
