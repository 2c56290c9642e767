#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "auth/oauth/grants.hpp"
#include "base/clock.hpp"

namespace gantry::auth {

/// How to come by tokens for one MCP server.
struct AuthOptions {
    enum class Grant : std::uint8_t {
        kAuthorizationCode,  ///< a person agrees in a browser
        kClientCredentials,  ///< we are the client, with a secret or a private key
        kEnterprise,         ///< the identity provider vouches for the person (ID-JAG)
        kWorkloadIdentity,   ///< a JWT of the platform vouches for us
    };
    enum class Dpop : std::uint8_t {
        kNever,
        kWhenAsked,  ///< when the server's challenge or metadata asks for it and the authorization server offers it
        kAlways,     ///< refuse bearer tokens
    };
    /// The identity provider of enterprise-managed authorization.
    struct Enterprise {
        std::string issuer = {};  // its metadata is looked up unless token_endpoint is given
        std::string token_endpoint = {};
        std::string client_id = {};
        std::string client_secret = {};
        AssertionSource id_token = {};
    };

    Grant grant = Grant::kAuthorizationCode;

    /// A client registered beforehand. It belongs to one authorization server: `client_issuer` when given, else the
    /// first one it was used with; at any other it is not shown.
    std::string client_id = {};
    std::string client_secret = {};
    std::string client_issuer = {};
    /// PEM, for private_key_jwt.
    std::string private_key = {};
    std::string private_key_id = {};
    /// https URL of a client ID metadata document, used where the authorization server understands them.
    std::string client_metadata_url = {};
    std::string client_name = "Gantry";

    /// Asked for besides what the server's challenge names; without a challenge and without these, what its metadata
    /// lists.
    std::vector<std::string> scopes = {};
    /// Ask for a refresh token where the authorization server lists offline_access.
    bool offline_access = true;
    Dpop dpop = Dpop::kWhenAsked;

    AssertionSource workload_assertion = {};
    Enterprise enterprise = {};

    /// Logins and step-ups within `attempt_window` without a good answer in between.
    int max_logins = 3;
    int max_step_ups = 2;
    Duration attempt_window = seconds(60);
    /// A whole login, person included, whoever waits for it and how long.
    Duration login_timeout = seconds(300);

    /// Told when tokens of a login could not be stored; they are used, but the next start will ask again.
    std::function<void(const Error&)> warn = {};
    /// For tests.
    std::function<std::chrono::system_clock::time_point()> now = [] { return std::chrono::system_clock::now(); };
};

}  // namespace gantry::auth
