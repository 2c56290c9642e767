#include "gateway/sources/mcp/credentials.hpp"

#include "io/loop.hpp"

namespace gantry::gateway {

namespace {

/// Lower bound between two lookups, however often the server rejects us.
constexpr Duration kPause = seconds(1);
/// Grace period for calls in flight that were accepted with the old credentials.
constexpr Duration kDrain = seconds(5);
constexpr Duration kGlance = milliseconds(20);

}  // namespace

Task<bool> Credentials::renew(const Context& ctx, std::uint64_t seen) {
    if (spec_.is_child()) co_return false;
    const auto turn = co_await looking_up_.lock(ctx);
    if (!turn || status_.stopping()) co_return false;
    if (changes_ != seen) co_return true;  // another call was rejected first
    const TimePoint now = SteadyClock::now();
    if (looked_up_ != TimePoint{} && now < looked_up_ + kPause) co_return false;
    looked_up_ = now;
    const auto changed = co_await upstream_.credentials_changed(ctx);
    if (!changed || !*changed || status_.stopping()) co_return false;
    ++changes_;
    lanes_->forget_all();
    const Context wait = ctx.within(kDrain);
    while (connection_.leased() && co_await sleep_for(wait, kGlance)) {}
    if (status_.stopping()) co_return false;
    // Also if the caller has stopped waiting: no later call would notice the change.
    connection_.link()->client().renew();
    lists_.read_now();
    connection_.retry_now();
    co_return true;
}

}  // namespace gantry::gateway
