#pragma once

#include <functional>
#include <optional>

#include "io/context.hpp"
#include "io/scope.hpp"
#include "io/signals.hpp"
#include "io/sync.hpp"

namespace gantry::app {

/// Signals of a running gateway: the first SIGINT or SIGTERM requests a graceful end, the next one an immediate end,
/// SIGHUP a reload. They are handled whatever the gateway is doing.
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

    /// Takes over the signals. Without `hears_hangups`, SIGHUP keeps its default effect.
    Result<void> begin(bool hears_hangups);
    /// Sets the reaction to SIGHUP; one received earlier is handled now. Several in a row may be coalesced.
    void on_hangup(std::function<Task<void>(const Context& ctx)> reload);
    /// A context that ends with the first signal that requests the end.
    Context until_first() const { return Context::background().stopped_by(end_); }
    /// Waits for that signal.
    Task<void> first();
    /// After this no reload starts, and one in progress has finished.
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
