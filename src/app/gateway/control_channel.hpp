#pragma once

#include <memory>

#include "app/gateway/gateway_app.hpp"
#include "app/gateway/reloader.hpp"
#include "io/http/server.hpp"
#include "surface/control/operations.hpp"

namespace gantry::app {

/// The running gateway's control channel: a Unix socket in its state folder, for this user alone, where the command
/// line asks.
class ControlChannel {
public:
    /// What it asks; must outlive it.
    struct Parts {
        GatewayApp& app;
        /// Null: a reload is refused.
        Reloader* reloader = nullptr;
        /// Null: there are no lines to tell.
        gateway::events::Log* log = nullptr;
    };
    ControlChannel(Loop& loop, Parts parts);

    /// After the app's start(). The gateway does without it where it cannot be opened.
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
