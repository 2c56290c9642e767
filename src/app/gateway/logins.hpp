#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "auth/store/token_store.hpp"
#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"
#include "io/http/client.hpp"
#include "mcp/transport/authorization.hpp"

namespace gantry {
class Loop;
}

namespace gantry::app {

/// Parameters of an OAuth login at a server.
struct LoginWish {
    /// A pre-registered client; empty: one is registered dynamically, if the server's provider allows that.
    std::string client_id = {};
    std::vector<std::string> scopes = {};
};

/// OAuth logins at servers behind the gateway. The list of logins and their tokens are stored in `logins` of the state
/// folder, readable by this user only. A server without a login costs nothing. Belongs to one loop.
class Logins {
public:
    explicit Logins(Loop& loop) : loop_(loop) {}

    /// Reads which servers have a login.
    Result<void> open(const std::filesystem::path& state_dir);

    /// Logs in to a server. `show` receives the URL that a person has to open with a browser on this machine. Returns
    /// when the server has accepted the tokens and they are stored; the server's connections use them from then on.
    Task<Result<void>> log_in(const Context& ctx, gateway::McpServerSpec spec, LoginWish wish,
                              std::function<void(const std::string& url)> show);

    /// The authorization of a server; null: it has no login. `client` must outlive it.
    std::unique_ptr<mcp::Authorization> authorization(const gateway::McpServerSpec& spec, http::Client& client);

private:
    struct Login {
        std::string url;
        LoginWish wish;
    };
    Result<void> save() const;
    Result<std::shared_ptr<auth::TokenStore>> store();

    Loop& loop_;
    std::filesystem::path folder_;
    std::map<std::string, Login> logins_;  // by server name
    std::shared_ptr<auth::TokenStore> store_;
};

}  // namespace gantry::app
