#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::auth {

/// The parameters an authorization server sent back through the browser, as they came.
struct AuthorizationResponse {
    std::string code;
    std::string state;
    std::string iss;
    bool has_iss = false;
    std::string error;
};

/// The person with a browser, or whatever a program puts in their place.
class UserAgent {
public:
    virtual ~UserAgent() = default;

    /// The redirect URI of the next authorization. `registered` is the one an earlier registration named, or empty; an
    /// agent that cannot use it again answers another one, and the client registers anew.
    virtual Task<Result<std::string>> redirect_uri(const Context& ctx, std::string registered) = 0;

    /// Shows `url` to the person and waits for the redirect. Checks nothing but `state`; the caller checks the rest.
    virtual Task<Result<AuthorizationResponse>> authorize(const Context& ctx, std::string url, std::string state) = 0;

    /// Nothing will come of the redirect URI: ends what redirect_uri() began. Called after every login, good or bad.
    virtual Task<void> finish() { co_return; }
};

/// Reads the query of a redirect: "https://…?code=…" or only the part after "?".
Result<AuthorizationResponse> parse_redirect(std::string_view location);

/// For programs: gets the authorization URL, returns the URL of the redirect.
using AuthorizeCallback = std::function<Task<Result<std::string>>(const Context& ctx, std::string url)>;
std::unique_ptr<UserAgent> make_callback_agent(std::string redirect_uri, AuthorizeCallback callback);

}  // namespace gantry::auth
