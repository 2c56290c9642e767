#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::auth {

/// The parameters an authorization server returned through the browser, as received.
struct AuthorizationResponse {
    std::string code;
    std::string state;
    std::string iss;
    bool has_iss = false;
    std::string error;
};

/// The user's browser, or a program's substitute for it.
class UserAgent {
public:
    virtual ~UserAgent() = default;

    /// The redirect URI of the next authorization. `registered` is that of an earlier registration, or empty; if the
    /// agent cannot use it again, it returns another one and the client registers again.
    virtual Task<Result<std::string>> redirect_uri(const Context& ctx, std::string registered) = 0;

    /// Shows `url` to the user and waits for the redirect. Checks only `state`; the caller checks the rest.
    virtual Task<Result<AuthorizationResponse>> authorize(const Context& ctx, std::string url, std::string state) = 0;

    /// Releases what redirect_uri() set up. Called after every login, successful or not.
    virtual Task<void> finish() { co_return; }
};

/// Parses the query of a redirect: "https://…?code=…" or only the part after "?".
Result<AuthorizationResponse> parse_redirect(std::string_view location);

/// For programs: receives the authorization URL, returns the URL of the redirect.
using AuthorizeCallback = std::function<Task<Result<std::string>>(const Context& ctx, std::string url)>;
std::unique_ptr<UserAgent> make_callback_agent(std::string redirect_uri, AuthorizeCallback callback);

}  // namespace gantry::auth
