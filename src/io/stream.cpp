#include "io/stream.hpp"

#include "base/try.hpp"
#include "io/waiter.hpp"

namespace gantry {

Task<Result<void>> Stream::write_pieces(const Context& ctx, std::span<const std::string_view> pieces) {
    for (const std::string_view piece : pieces) {
        if (!piece.empty()) GANTRY_CO_CHECK(co_await write(ctx, piece));
    }
    co_return Result<void>();
}

Result<std::size_t> Stream::try_write(std::string_view) {
    return std::size_t{0};
}

Task<Result<void>> Stream::wait_for_disconnect(const Context& ctx) {
    GANTRY_CO_CHECK(ctx.check());
    Waiter waiter;
    waiter.watch(ctx);
    co_await waiter.park();
    co_return waiter.result();
}

}  // namespace gantry
