#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "app/commands/serve_args.hpp"
#include "app/gateway/control_channel.hpp"
#include "app/gateway/gateway_app.hpp"
#include "app/gateway/reloader.hpp"
#include "io/scope.hpp"

namespace gantry::app {

/// What runs beside a gateway: the control channel, and the watch of its configuration file.
class SideServices {
public:
    /// `app` and what `notes` refers to must outlive it. `load` reads the configuration as the file has it now.
    SideServices(Loop& loop, GatewayApp& app, const ServeArgs& args, std::function<Result<Config>()> load,
                 std::shared_ptr<PinnedFiles> files, const Notes& notes);

    /// A control channel that cannot be opened is reported; the gateway runs without it.
    void start();
    Task<void> stop();

    /// Null: there is no file to reload.
    Reloader* reloader() noexcept { return reloader_ ? &*reloader_ : nullptr; }

private:
    std::function<void(std::string_view)> note_;
    bool follow_;
    std::optional<Reloader> reloader_;
    std::optional<ControlChannel> control_;
    Scope scope_;
};

}  // namespace gantry::app
