#pragma once

#include <memory>
#include <string>

#include "gantry/client.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "mcp/client/open.hpp"
#include "mcp/transport/authorization.hpp"

namespace gantry {

class Runtime;

/// What an HTTP route stands on; must outlive the client that uses it.
struct HttpParts {
    net::EgressGuard guard;
    std::unique_ptr<http::Client> client;
    std::unique_ptr<mcp::Authorization> authorization;
};

/// Turns the options into transports. `http` is filled in for an HTTP server and must outlive the route.
Result<mcp::Route> make_route(Runtime& runtime, const ConnectOptions& options, std::unique_ptr<HttpParts>& http);

/// What to call the server in messages: the given name, else the command or host.
std::string server_name(const ConnectOptions& options);

}  // namespace gantry
