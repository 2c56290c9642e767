#pragma once

#include <memory>

#include "auth/oauth/fetch.hpp"
#include "auth/oauth/options.hpp"
#include "auth/oauth/user_agent.hpp"
#include "auth/store/token_store.hpp"
#include "base/url.hpp"
#include "io/http/authorization.hpp"
#include "io/http/client.hpp"

namespace gantry::auth {

/// The OAuth 2.1 client of one MCP server, on one loop.
///
/// The transport asks it for header fields before each request and reports every response. A rejected request makes it
/// discover, register, log in, refresh or step up, once for all concurrently rejected requests; then it says whether to
/// retry. Credentials are sent only to the server's origin and to the authorization server they belong to.
class Authorizer : public http::Authorization {
public:
    /// `store` and `agent` must outlive it. Without an agent no interactive login is possible: the code grant then
    /// fails with kUnauthorized.
    Authorizer(Url server, AuthOptions options, Fetch fetch, TokenStore& store, UserAgent* agent = nullptr);
    ~Authorizer() override;

    /// Authorization and, for DPoP, a fresh proof for exactly this request. Empty if there is no token, and for
    /// other origins. Refreshes an expired token first; an error says why that failed, also if
    /// the rotated token could not be stored (the tokens in memory stay usable).
    Task<Result<Fields>> headers_for(const Context& ctx, Request request) override;

    /// Call it at least for 401 and 403; other responses only reset the failure counters and update nonces.
    ///
    /// Cancelling ends the wait. The shared work is cancelled once no request waits for it; a login has
    /// AuthOptions::login_timeout, independent of the deadline of the request that triggered it.
    Task<Result<http::Retry>> on_response(const Context& ctx, Request request, Answer answer) override;

    /// Erases the tokens from memory and from the store.
    Task<Result<void>> log_out(const Context& ctx);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// An Authorizer that owns its store and its agent and uses `client`, which must outlive it. Without an agent stored
/// tokens are used and refreshed, and a server that requires a login fails with kUnauthorized.
std::unique_ptr<http::Authorization> make_authorizer(const Url& server, AuthOptions options, http::Client& client,
                                                     std::shared_ptr<TokenStore> store,
                                                     std::unique_ptr<UserAgent> agent);

}  // namespace gantry::auth
