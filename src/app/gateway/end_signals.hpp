#pragma once

#include <functional>
#include <optional>

#include "io/context.hpp"
#include "io/scope.hpp"
#include "io/signals.hpp"
#include "io/sync.hpp"

namespace gantry::app {

/// What signals mean to a running gateway: the first SIGINT or SIGTERM asks it to end, the next has it end at once,
/// SIGHUP has its configuration read anew. Each is heard whatever the gateway is doing.
///
///     EndSignals signals({.first = …, .again = …});
///     GANTRY_TRY(…, signals.begin(hears_hangups));
///     co_await something(signals.until_first());
///     co_await signals.stop();                // required after begin()
class EndSignals {
public:
    struct Hooks {
        std::function<void()> first;
        std::function<void()> again;
    };
    explicit EndSignals(Hooks hooks);

    /// From now on signals do not have their usual effect. SIGHUP keeps it where it is not wanted.
    Result<void> begin(bool hears_hangups);
    /// What SIGHUP does; one that came before is made up for. Several in a row may be one.
    void on_hangup(std::function<Task<void>(const Context& ctx)> reload);
    /// Ends with the first signal that asks for the end.
    Context until_first() const { return Context::background().stopped_by(end_); }
    /// Waits for it.
    Task<void> first();
    /// No reload comes any more, and one that was under way is over.
    Task<void> end_reloads();
    Task<void> stop();

private:
    Task<void> hear();
    Task<void> reload_whenever_asked();

    Hooks hooks_;
    std::optional<SignalWatch> watch_;
    std::function<Task<void>(const Context& ctx)> reload_;
    CancelSource end_;
    Event hung_up_;
    Scope reloading_;
    Scope hearing_;
};

}  // namespace gantry::app
