#pragma once

#include <memory>

#include "app/gateway/gateway_app.hpp"
#include "app/gateway/reloader.hpp"
#include "io/http/server.hpp"
#include "surface/control/operations.hpp"

namespace gantry::app {

/// The control channel of a running gateway: a Unix socket in its state folder, accessible to this user only, for the
/// command line.
class ControlChannel {
public:
    /// The services behind its operations; must outlive it.
    struct Parts {
        GatewayApp& app;
        /// Null: reloads are refused.
        Reloader* reloader = nullptr;
        /// Null: there is no log to read.
        gateway::events::Log* log = nullptr;
    };
    ControlChannel(Loop& loop, Parts parts);

    /// Call after the app's start(). On an error the gateway runs without a control channel.
    Result<void> start();
    Task<void> stop();

private:
    Loop& loop_;
    GatewayApp& app_;
    Reloader* reloader_;
    gateway::events::Log* log_;
    surface::Operations operations_;
    http::Handler feed_;
    std::unique_ptr<http::Server> server_;
};

}  // namespace gantry::app
