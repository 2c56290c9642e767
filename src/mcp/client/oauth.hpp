#pragma once

#include <memory>

#include "auth/oauth/options.hpp"
#include "auth/oauth/user_agent.hpp"
#include "auth/store/token_store.hpp"
#include "base/url.hpp"
#include "io/http/client.hpp"
#include "mcp/transport/authorization.hpp"

namespace gantry::mcp {

/// The OAuth client of one HTTP server, as a transport's Authorization. `client` must outlive it. Without an agent no
/// interactive login is possible: stored tokens are used and refreshed, and a server that requires a login fails with
/// kUnauthorized.
std::unique_ptr<Authorization> make_oauth(const Url& server, auth::AuthOptions options, http::Client& client,
                                          std::shared_ptr<auth::TokenStore> store,
                                          std::unique_ptr<auth::UserAgent> agent);

}  // namespace gantry::mcp
