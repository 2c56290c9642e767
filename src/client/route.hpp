#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gantry/client.hpp"
#include "io/http/authorization.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/process/process.hpp"
#include "mcp/client/open.hpp"

namespace gantry {

class Runtime;

/// Components of an HTTP route; must outlive the client that uses it.
struct HttpParts {
    net::EgressGuard guard;
    std::unique_ptr<http::Client> client;
    std::unique_ptr<http::Authorization> authorization;
};

/// Connection settings for this project's own programs, beyond the public options.
struct ConnectHooks {
    /// Called last before a stdio server is started, to adjust the command: isolation, environment.
    std::function<Result<void>(process::Command& command)> prepare = {};
    /// Receives each line on a stdio server's stdout that is not a message.
    std::function<void(std::string_view line)> on_noise = {};
};

/// Creates the transports for the options. `http` is filled in for an HTTP server and must outlive the route.
Result<mcp::Route> make_route(Runtime& runtime, const ConnectOptions& options, const ConnectHooks& hooks,
                              std::unique_ptr<HttpParts>& http);

/// connect() with hooks; blocks.
Result<Client> connect_with(ConnectOptions options, ConnectHooks hooks);

/// The server's name for messages: the given name, else the command or host.
std::string server_name(const ConnectOptions& options);

}  // namespace gantry
