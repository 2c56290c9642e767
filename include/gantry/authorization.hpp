#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gantry/error.hpp"

namespace gantry {

/// A person logs in with a browser.
struct UserLogin {
    /// Called with the URL to visit instead of opening a browser. Returns the URL the browser was finally
    /// redirected to (with code and state), for programs that drive the flow themselves.
    std::function<Result<std::string>(const std::string& authorization_url)> visit;
    /// Where the browser comes back to. Empty: a listener on a free loopback port.
    std::string redirect_uri;
    /// Open the system's browser; otherwise the URL is only printed through `announce`.
    bool open_browser = true;
    std::function<void(const std::string& authorization_url)> announce;
    /// For the whole login, at the start or in the middle of a session. The time limit of the call that needs it does
    /// not count meanwhile; calls that need it at the same time share it.
    std::chrono::seconds patience{300};
};

/// A program logs in as itself.
struct ClientCredentials {
    /// PEM private key for private_key_jwt, which also decides the algorithm; empty: the client secret is used.
    std::string private_key_pem;
};

/// An identity provider's ID token is exchanged for access (enterprise-managed authorization).
struct EnterpriseManaged {
    std::string idp_client_id;
    std::string idp_id_token;
    std::string idp_issuer;
    std::string idp_token_endpoint;
};

/// A workload presents a JWT its platform gave it.
struct WorkloadIdentity {
    std::function<Result<std::string>()> token;
};

/// How to get access when an HTTP server asks for it.
struct Authorization {
    std::variant<UserLogin, ClientCredentials, EnterpriseManaged, WorkloadIdentity> how;
    /// A client registered beforehand; used only with `issuer` when that is set.
    std::string client_id;
    std::string client_secret;
    std::string issuer;
    /// https URL of a client metadata document, used as client id where the server supports that.
    std::string client_metadata_url;
    std::string client_name = "gantry";
    std::vector<std::string> scopes;
    /// Bind tokens to a key of ours (RFC 9449) where the server supports it.
    bool dpop = false;
    enum class Store : std::uint8_t { kMemory, kKeyringOrFile };
    Store store = Store::kKeyringOrFile;
};

}  // namespace gantry
