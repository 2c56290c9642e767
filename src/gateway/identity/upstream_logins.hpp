#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "auth/store/token_store.hpp"
#include "gantry/error.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gateway/model/source_spec.hpp"
#include "io/http/authorization.hpp"
#include "io/http/client.hpp"

namespace gantry {
class Loop;
}

namespace gantry::gateway {

/// Parameters of an OAuth login at a server.
struct LoginRequest {
    /// A pre-registered client; empty: one is registered dynamically, if the server's provider allows that.
    std::string client_id = {};
    std::vector<std::string> scopes = {};
};

/// OAuth logins at servers behind the gateway. The list of logins and their tokens are stored in `logins` of the state
/// folder, readable by this user only. A server without a login costs nothing. Belongs to one loop.
class UpstreamLogins {
public:
    /// `self` describes Gantry to servers and their providers.
    UpstreamLogins(Loop& loop, mcp::Implementation self) : loop_(loop), self_(std::move(self)) {}

    /// Reads which servers have a login.
    Result<void> open(const std::filesystem::path& state_dir);

    /// Logs in to a server. `show` receives the URL that a person has to open with a browser on this machine. Returns
    /// when the server has accepted the tokens and they are stored; the server's connections use them from then on.
    Task<Result<void>> log_in(const Context& ctx, McpServerSpec spec, LoginRequest request,
                              std::function<void(const std::string& url)> show);

    /// The authorization of a server; null: it has no login. `client` must outlive it.
    std::unique_ptr<http::Authorization> authorization(const McpServerSpec& spec, http::Client& client);

private:
    struct Login {
        std::string url;
        LoginRequest request;
    };
    Result<void> save() const;
    Result<std::shared_ptr<auth::TokenStore>> store();

    Loop& loop_;
    const mcp::Implementation self_;
    std::filesystem::path folder_;
    std::map<std::string, Login> logins_;  // by server name
    std::shared_ptr<auth::TokenStore> store_;
};

}  // namespace gantry::gateway
