#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "io/sync.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

/// Where the streams of a connection put what they receive and read() takes it from. Bounded: a stream waits
/// while nobody reads.
class Inbox {
public:
    explicit Inbox(std::size_t capacity) : queue_(capacity) {}

    /// Drops the item when the connection is closing.
    Task<void> put(Context ctx, Result<Incoming> item) { (void)co_await queue_.push(ctx, std::move(item)); }

    Task<Result<std::optional<Incoming>>> take(const Context& ctx) {
        auto item = co_await queue_.pop(ctx);
        if (!item) co_return std::unexpected(std::move(item).error());
        if (!*item || closed_) co_return Result<std::optional<Incoming>>(std::nullopt);
        if (!**item) co_return std::unexpected(std::move(**item).error());
        co_return Result<std::optional<Incoming>>(std::move(***item));
    }

    /// Nothing more will come; what waits can still be taken.
    void finish() noexcept { queue_.close(); }
    /// Nothing more will be taken.
    void close() noexcept {
        closed_ = true;
        queue_.close();
    }

private:
    Queue<Result<Incoming>> queue_;
    bool closed_ = false;
};

}  // namespace gantry::mcp
