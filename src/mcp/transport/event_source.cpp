#include "mcp/transport/event_source.hpp"

#include "base/try.hpp"

namespace gantry::mcp {

Task<Result<std::optional<sse::Event>>> EventSource::next(const Context& ctx) {
    for (;;) {
        if (auto event = parser_.next()) co_return Result<std::optional<sse::Event>>(std::move(event));
        if (failed_) co_return fail(*failed_);
        GANTRY_CO_TRY(const auto bytes, co_await response_.read(ctx));
        if (!bytes) co_return Result<std::optional<sse::Event>>(std::nullopt);
        if (auto fed = parser_.feed(*bytes); !fed) failed_ = std::move(fed).error();
    }
}

}  // namespace gantry::mcp
