#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "auth/oauth/grants.hpp"
#include "base/clock.hpp"

namespace gantry::auth {

/// How to obtain tokens for one MCP server.
struct AuthOptions {
    enum class Grant : std::uint8_t {
        kAuthorizationCode,  ///< a user consents in a browser
        kClientCredentials,  ///< we authenticate as the client, with a secret or a private key
        kEnterprise,         ///< the identity provider vouches for the user (ID-JAG)
        kWorkloadIdentity,   ///< a JWT of the platform vouches for us
    };
    enum class Dpop : std::uint8_t {
        kNever,
        kWhenAsked,  ///< if the server's challenge or metadata asks for it and the authorization server supports it
        kAlways,     ///< reject bearer tokens
    };
    /// The identity provider of enterprise-managed authorization.
    struct Enterprise {
        std::string issuer = {};  // its metadata is discovered unless token_endpoint is set
        std::string token_endpoint = {};
        std::string client_id = {};
        std::string client_secret = {};
        AssertionSource id_token = {};
    };

    Grant grant = Grant::kAuthorizationCode;

    /// A client registered beforehand. It belongs to one authorization server: `client_issuer` if set, else the
    /// first one it was used with; it is never presented to another.
    std::string client_id = {};
    std::string client_secret = {};
    std::string client_issuer = {};
    /// PEM, for private_key_jwt.
    std::string private_key = {};
    std::string private_key_id = {};
    /// https URL of a client ID metadata document, used if the authorization server supports them.
    std::string client_metadata_url = {};
    std::string client_name = "Gantry";

    /// Requested in addition to those in the server's challenge; without a challenge and without these, the scopes of
    /// its metadata are requested.
    std::vector<std::string> scopes = {};
    /// Request a refresh token if the authorization server lists offline_access.
    bool offline_access = true;
    Dpop dpop = Dpop::kWhenAsked;

    AssertionSource workload_assertion = {};
    Enterprise enterprise = {};

    /// Maximum number of logins and step-ups within `attempt_window` without a successful response in between.
    int max_logins = 3;
    int max_step_ups = 2;
    Duration attempt_window = seconds(60);
    /// Timeout of a whole login including the user, independent of the waiting requests.
    Duration login_timeout = seconds(300);

    /// Called if the tokens of a login could not be stored; they are used, but the next start needs a new login.
    std::function<void(const Error&)> warn = {};
    /// For tests.
    std::function<std::chrono::system_clock::time_point()> now = [] { return std::chrono::system_clock::now(); };
};

}  // namespace gantry::auth
