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
    /// Without a reloader, a reload is refused. Both must outlive it.
    ControlChannel(Loop& loop, GatewayApp& app, Reloader* reloader);

    /// After the app's start(). The gateway does without it where it cannot be opened.
    Result<void> start();
    Task<void> stop();

private:
    Loop& loop_;
    GatewayApp& app_;
    Reloader* reloader_;
    surface::Operations operations_;
    http::Handler feed_;
    std::unique_ptr<http::Server> server_;
};

}  // namespace gantry::app
