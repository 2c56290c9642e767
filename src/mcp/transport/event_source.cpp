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

std::optional<sse::Event> EventSource::take() {
    for (;;) {
        if (auto event = parser_.next()) return event;
        if (!feed()) return std::nullopt;
    }
}

bool EventSource::ended() {
    while (feed()) {}
    return !failed_ && response_.body_complete();
}

/// Feeds the parser with the bytes that have arrived; false if there are none.
bool EventSource::feed() {
    if (failed_) return false;
    auto bytes = response_.take();
    if (!bytes) failed_ = std::move(bytes).error();
    if (failed_ || !*bytes) return false;
    if (auto fed = parser_.feed(**bytes); !fed) failed_ = std::move(fed).error();
    return true;
}

}  // namespace gantry::mcp
