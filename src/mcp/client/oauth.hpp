#pragma once

#include <memory>

#include "auth/oauth/options.hpp"
#include "auth/oauth/user_agent.hpp"
#include "auth/store/token_store.hpp"
#include "base/url.hpp"
#include "io/http/client.hpp"
#include "mcp/transport/authorization.hpp"

namespace gantry::mcp {

/// The OAuth client of one HTTP server, in the form that transports take it. `client` must outlive it. Without an agent
/// nobody can be asked to log in: stored tokens are used and refreshed, and a server that wants a login is refused with
/// kUnauthorized.
std::unique_ptr<Authorization> make_oauth(const Url& server, auth::AuthOptions options, http::Client& client,
                                          std::shared_ptr<auth::TokenStore> store,
                                          std::unique_ptr<auth::UserAgent> agent);

}  // namespace gantry::mcp
