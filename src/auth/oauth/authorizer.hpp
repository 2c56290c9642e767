#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/oauth/effort.hpp"
#include "auth/oauth/fetch.hpp"
#include "auth/oauth/options.hpp"
#include "auth/oauth/user_agent.hpp"
#include "auth/store/token_store.hpp"
#include "base/url.hpp"
#include "io/http/headers.hpp"

namespace gantry::auth {

enum class Retry : bool { kNo = false, kYes = true };

/// The OAuth 2.1 client of one MCP server, on one loop.
///
/// Ask it for header fields before each request and tell it every response. A refused request makes it discover,
/// register, log in, refresh or step up, one at a time however many requests were refused; then it says whether to send
/// the request again. Its credentials go to the server's origin and to the authorization server they belong to only.
class Authorizer {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    /// A request to the server. The references live until the answer is dealt with.
    struct Request {
        std::string_view method;
        const Url& url;
        /// Told when this request begins and stops waiting for a person to log in: time limits of the request should
        /// not count in between, the login has its own.
        Effort::OnLogin on_login = {};
    };
    struct Answer {
        int status = 0;
        const http::Headers& headers;
        /// What headers_for() gave for the request that was answered.
        const Fields& sent;
        /// The numeric address it came from; empty when unknown.
        std::string_view peer = {};
    };

    /// `store` and `agent` outlive it. Without an agent nobody can be asked: the code grant then fails with
    /// kUnauthorized.
    Authorizer(Url server, AuthOptions options, Fetch fetch, TokenStore& store, UserAgent* agent = nullptr);
    ~Authorizer();

    /// Authorization and, for DPoP, a fresh proof for exactly this request. Empty while there is no token and for
    /// other origins. Refreshes an expired token first; an error then says why that failed, also when
    /// the rotated token could not be stored (the tokens in hand stay usable).
    Task<Result<Fields>> headers_for(const Context& ctx, Request request);

    /// Call it for 401 and 403 at least; other answers only end a row of failures and renew nonces.
    ///
    /// Cancelling ends the wait. The work itself ends when nobody waits for it any more; a login has
    /// AuthOptions::login_timeout, whatever the deadline of the request that caused it, which only ends its own wait.
    Task<Result<Retry>> on_response(const Context& ctx, Request request, Answer answer);

    /// Forgets the tokens, here and in the store.
    Task<Result<void>> log_out(const Context& ctx);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::auth
