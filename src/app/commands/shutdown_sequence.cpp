#include "app/commands/shutdown_sequence.hpp"

#include "app/process/service_manager.hpp"
#include "io/process/process.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {
namespace {

/// After the grace period: ending servers by force, then flushing to disk.
constexpr Duration kFlush = seconds(1);
constexpr Duration kByForce = process::Process::kForcedStop + kFlush;

}  // namespace

ShutdownSequence::ShutdownSequence(GatewayApp& app)
    : app_(app),
      watchdog_(static_cast<int>(cli::exit_code_for(ErrorCode::kTimeout))),
      signals_({.first = [this] { begin(); }, .again = [this] { force_stop(); }}) {}

Task<void> ShutdownSequence::run(SideServices& services) {
    begin();
    co_await signals_.end_reloads();
    co_await services.stop();
    co_await app_.stop();
    co_await signals_.stop();
}

void ShutdownSequence::begin() {
    notify_service_manager("STOPPING=1");
    app_.begin_stop();
    watchdog_.arm(app_.stop_timeout() + kByForce);
}

void ShutdownSequence::force_stop() {
    app_.force_stop();
    watchdog_.arm(kByForce);
}

}  // namespace gantry::app
