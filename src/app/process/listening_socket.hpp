#pragma once

#include <memory>

#include "app/config/config.hpp"
#include "app/process/listen_address.hpp"
#include "io/http/server.hpp"

namespace gantry::app {

/// The gateway's address and the server listening on it.
struct ListeningSocket {
    ListenAddress address;
    std::unique_ptr<http::Server> server;  // null: not listening
};

/// Listens on the configured address, or on a socket inherited from a service manager. kDenied when other machines
/// could reach it without authentication. `refuse`: see http::ServerOptions.
Result<ListeningSocket> open_listener(Loop& loop, const Config& config, http::Handler handler,
                                      std::function<std::string(const net::TcpStream&)> refuse = {});

}  // namespace gantry::app
