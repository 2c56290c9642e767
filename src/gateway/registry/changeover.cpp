#include "gateway/registry/changeover.hpp"

#include "io/loop.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {
namespace {

/// Polling interval for whether a source that is to end is still in use.
constexpr Duration kGlance = milliseconds(50);

bool has_tried(SourceState state) noexcept {
    using enum SourceState;
    return state == kReady || state == kDown || state == kAsleep;
}

Task<void> warm_one(Context ctx, std::shared_ptr<Source> source) {
    Event moved;
    source->watch([&moved](const SourceChange&) { moved.pulse(); });
    source->start();
    while (!has_tried(source->state()) && co_await moved.wait(ctx)) {}
    source->watch({});
}

}  // namespace

Task<void> warm_up(const Context& ctx, std::vector<std::shared_ptr<Source>> fresh, Duration limit) {
    Scope scope(ctx.within(limit));
    for (auto& source : fresh) scope.spawn(warm_one(scope.context(), std::move(source)));
    co_await scope.join();
}

Task<void> retire(Context ctx, std::shared_ptr<Source> source, Duration limit) {
    const Context limited = ctx.within(limit);
    while (source->busy() && co_await sleep_for(limited, kGlance)) {}
    co_await source->stop();
}

}  // namespace gantry::gateway
