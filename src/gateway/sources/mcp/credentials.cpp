// McpSource's credentials: a server that refuses them may only want the ones that came in their place.

#include "gateway/sources/mcp/credentials.hpp"

#include "gateway/sources/mcp/source.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {

namespace {

/// However often we are refused, secrets are not looked up more often than this.
constexpr Duration kPause = seconds(1);
/// Calls that were let in with the old ones may take this long to finish.
constexpr Duration kDrain = seconds(5);
constexpr Duration kGlance = milliseconds(20);

}  // namespace

Task<bool> McpSource::renew_credentials(const Context& ctx, std::uint64_t seen) {
    if (spec_.is_child()) co_return false;
    const auto turn = co_await looking_up_.lock(ctx);
    if (!turn || stopping_) co_return false;
    if (credentials_ != seen) co_return true;  // somebody else was refused too
    const TimePoint now = SteadyClock::now();
    if (looked_up_ != TimePoint{} && now < looked_up_ + kPause) co_return false;
    looked_up_ = now;
    const auto changed = co_await upstream_.credentials_changed(ctx);
    if (!changed || !*changed || stopping_) co_return false;
    ++credentials_;
    lanes_->forget_all();
    const Context patience = ctx.within(kDrain);
    while (shared_.use_count() > 1 && co_await sleep_for(patience, kGlance)) {}
    if (stopping_) co_return false;
    // Also when whoever asked does not wait any more: nobody finds out a second time.
    shared_->client().renew();
    hurry();
    co_return true;
}

}  // namespace gantry::gateway
