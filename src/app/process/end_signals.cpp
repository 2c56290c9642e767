#include "app/process/end_signals.hpp"

#include <array>
#include <csignal>
#include <span>

#include "base/try.hpp"

namespace gantry::app {

EndSignals::EndSignals(Hooks hooks)
    : hooks_(std::move(hooks)), reloading_(until_first()), hearing_(Context::background()) {}

Result<void> EndSignals::begin(bool hears_hangups) {
    constexpr std::array kAll = {SIGINT, SIGTERM, SIGHUP};
    GANTRY_TRY(SignalWatch watch, SignalWatch::begin(hears_hangups ? std::span(kAll) : std::span(kAll).first(2)));
    watch_.emplace(std::move(watch));
    hearing_.spawn(hear());
    return {};
}

Task<void> EndSignals::hear() {
    const Context ctx = hearing_.context();
    for (;;) {
        const auto signal = co_await watch_->next(ctx);
        if (!signal) co_return;
        if (*signal == SIGHUP) {
            hung_up_.set();
        } else if (!end_.cancelled()) {
            hooks_.first();
            end_.cancel();
        } else {
            hooks_.again();
        }
    }
}

void EndSignals::on_hangup(std::function<Task<void>(const Context& ctx)> reload) {
    reload_ = std::move(reload);
    reloading_.spawn(reload_whenever_asked());
}

Task<void> EndSignals::reload_whenever_asked() {
    const Context ctx = reloading_.context();
    while (co_await hung_up_.wait(ctx)) {
        hung_up_.reset();
        co_await reload_(ctx);
    }
}

Task<void> EndSignals::first() {
    Event never;
    auto waited = co_await never.wait(until_first());
    static_cast<void>(waited);
}

Task<void> EndSignals::end_reloads() {
    reloading_.cancel();
    co_await reloading_.join();
}

Task<void> EndSignals::stop() {
    co_await end_reloads();
    hearing_.cancel();
    co_await hearing_.join();
}

}  // namespace gantry::app
