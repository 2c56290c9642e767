#pragma once

#include "app/commands/side_services.hpp"
#include "app/gateway/gateway_app.hpp"
#include "app/process/end_signals.hpp"
#include "app/process/shutdown_watchdog.hpp"

namespace gantry::app {

/// The shutdown of a running gateway: in bounded time, in any state. The first signal begins it, the next one ends its
/// grace period.
class ShutdownSequence {
public:
    explicit ShutdownSequence(GatewayApp& app);

    EndSignals& signals() noexcept { return signals_; }

    /// In reverse order of the start.
    Task<void> run(SideServices& services);

private:
    void begin();
    void force_stop();

    GatewayApp& app_;
    ShutdownWatchdog watchdog_;
    EndSignals signals_;
};

}  // namespace gantry::app
