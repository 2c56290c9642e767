#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gantry/error.hpp"

namespace gantry {

/// A user logs in through a browser.
struct UserLogin {
    /// Called with the URL to visit instead of opening a browser. Returns the URL the browser was finally
    /// redirected to (with code and state), for programs that drive the flow themselves.
    std::function<Result<std::string>(const std::string& authorization_url)> visit;
    /// Redirect URI. Empty: a listener on a free loopback port.
    std::string redirect_uri;
    /// Open the system's browser; otherwise the URL is only printed through `announce`.
    bool open_browser = true;
    std::function<void(const std::string& authorization_url)> announce;
    /// Timeout of the whole login, whether it happens while connecting or in the middle of a session. The timeout of
    /// the call that triggered it is paused meanwhile; concurrent calls that need a login share one.
    std::chrono::seconds timeout{300};
};

/// A program authenticates as itself (client credentials grant).
struct ClientCredentials {
    /// PEM private key for private_key_jwt; the key type selects the algorithm. Empty: the client secret is used.
    std::string private_key_pem;
};

/// Exchanges an identity provider's ID token for an access token (enterprise-managed authorization).
struct EnterpriseManaged {
    std::string idp_client_id;
    std::string idp_id_token;
    std::string idp_issuer;
    std::string idp_token_endpoint;
};

/// A workload presents a JWT issued by its platform.
struct WorkloadIdentity {
    std::function<Result<std::string>()> token;
};

/// How to obtain an access token when an HTTP server requires one.
struct Authorization {
    std::variant<UserLogin, ClientCredentials, EnterpriseManaged, WorkloadIdentity> how;
    /// A client registered beforehand. If `issuer` is set, it is used only with that authorization server.
    std::string client_id;
    std::string client_secret;
    std::string issuer;
    /// https URL of a client metadata document, used as the client id if the authorization server supports it.
    std::string client_metadata_url;
    std::string client_name = "gantry";
    std::vector<std::string> scopes;
    /// Sender-constrain tokens to a key of this client (DPoP, RFC 9449) if the authorization server supports it.
    bool dpop = false;
    enum class Store : std::uint8_t { kMemory, kKeyringOrFile };
    Store store = Store::kKeyringOrFile;
};

}  // namespace gantry
