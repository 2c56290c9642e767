#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gantry/client.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/process/process.hpp"
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

/// What this project's own programs may say about a connection beyond the public options.
struct ConnectHooks {
    /// Has the last word about the start of a stdio server: isolation, environment.
    std::function<Result<void>(process::Command& command)> prepare = {};
    /// Sees each line on a stdio server's stdout that is no message.
    std::function<void(std::string_view line)> on_noise = {};
};

/// Turns the options into transports. `http` is filled in for an HTTP server and must outlive the route.
Result<mcp::Route> make_route(Runtime& runtime, const ConnectOptions& options, const ConnectHooks& hooks,
                              std::unique_ptr<HttpParts>& http);

/// connect() with hooks; blocks.
Result<Client> connect_with(ConnectOptions options, ConnectHooks hooks);

/// What to call the server in messages: the given name, else the command or host.
std::string server_name(const ConnectOptions& options);

}  // namespace gantry
