#pragma once

#include <memory>

#include "app/config/config.hpp"
#include "app/gateway/listen_address.hpp"
#include "io/http/server.hpp"

namespace gantry::app {

/// The address a gateway is reached at, and who listens there.
struct Listener {
    ListenAddress address;
    std::unique_ptr<http::Server> server;  // null: nobody does
};

/// Listens where the configuration says, or takes over a service manager's socket. kDenied where strangers could reach
/// it and nobody would know who they are. `refuse`: see http::ServerOptions.
Result<Listener> open_listener(Loop& loop, const Config& config, http::Handler handler,
                               std::function<std::string(const net::TcpStream&)> refuse = {});

}  // namespace gantry::app
