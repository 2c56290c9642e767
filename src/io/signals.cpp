#include "io/signals.hpp"

#include <boost/asio/basic_signal_set.hpp>

#include "base/try.hpp"
#include "io/context_guard.hpp"

namespace gantry {

Task<Result<int>> wait_for_signal(const Context& ctx, std::span<const int> signals) {
    GANTRY_CO_CHECK(ctx.check());
    Loop& loop = Loop::current();
    boost::asio::basic_signal_set<Executor> set(loop.executor());
    for (const int number : signals) {
        boost::system::error_code error;
        set.add(number, error);
        if (error) co_return fail(ErrorCode::kInternal, "cannot wait for signal " + std::to_string(number));
    }
    const ContextGuard guard(set, loop, ctx);
    for (;;) {
        const auto [error, number] = co_await set.async_wait(kAwait);
        if (!error) co_return Result<int>(number);
        if (guard.ended()) co_return fail(guard.error());
    }
}

}  // namespace gantry
