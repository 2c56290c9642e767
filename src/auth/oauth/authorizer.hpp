#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/oauth/fetch.hpp"
#include "auth/oauth/options.hpp"
#include "auth/oauth/single_flight.hpp"
#include "auth/oauth/user_agent.hpp"
#include "auth/store/token_store.hpp"
#include "base/url.hpp"
#include "io/http/headers.hpp"

namespace gantry::auth {

enum class Retry : bool { kNo = false, kYes = true };

/// The OAuth 2.1 client of one MCP server, on one loop.
///
/// The transport asks it for header fields before each request and reports every response. A rejected request makes it
/// discover, register, log in, refresh or step up, once for all concurrently rejected requests; then it says whether to
/// retry. Credentials are sent only to the server's origin and to the authorization server they belong to.
class Authorizer {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    /// A request to the server. The references are valid until the response has been handled.
    struct Request {
        std::string_view method;
        const Url& url;
        /// Called when this request starts and stops waiting for a user to log in: the request's timeout should be
        /// paused in between, the login has its own.
        SingleFlight::OnLogin on_login = {};
    };
    struct Answer {
        int status = 0;
        const http::Headers& headers;
        /// The fields headers_for() returned for the answered request.
        const Fields& sent;
        /// The peer's numeric address; empty if unknown.
        std::string_view peer = {};
    };

    /// `store` and `agent` must outlive it. Without an agent no interactive login is possible: the code grant then
    /// fails with kUnauthorized.
    Authorizer(Url server, AuthOptions options, Fetch fetch, TokenStore& store, UserAgent* agent = nullptr);
    ~Authorizer();

    /// Authorization and, for DPoP, a fresh proof for exactly this request. Empty if there is no token, and for
    /// other origins. Refreshes an expired token first; an error says why that failed, also if
    /// the rotated token could not be stored (the tokens in memory stay usable).
    Task<Result<Fields>> headers_for(const Context& ctx, Request request);

    /// Call it at least for 401 and 403; other responses only reset the failure counters and update nonces.
    ///
    /// Cancelling ends the wait. The shared work is cancelled once no request waits for it; a login has
    /// AuthOptions::login_timeout, independent of the deadline of the request that triggered it.
    Task<Result<Retry>> on_response(const Context& ctx, Request request, Answer answer);

    /// Erases the tokens from memory and from the store.
    Task<Result<void>> log_out(const Context& ctx);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::auth
