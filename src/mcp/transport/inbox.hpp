#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "io/sync.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

/// Queue between a connection's streams and read(). Bounded in number and bytes: streams are not read while read() does
/// not keep up (back-pressure).
class Inbox {
public:
    Inbox(std::size_t capacity, std::size_t max_bytes) : queue_(capacity), max_bytes_(max_bytes) {}

    /// Waits for room; a message of any size is accepted if the queue is empty. Drops the item while closing.
    Task<void> put(Context ctx, Result<Incoming> item) {
        const std::size_t size = item ? item->bytes : 0;
        while (bytes_ != 0 && bytes_ + size > max_bytes_ && !closed_) {
            if (!co_await taken_.wait(ctx)) co_return;
        }
        bytes_ += size;
        if (!co_await queue_.push(ctx, std::move(item))) bytes_ -= size;
    }

    Task<Result<std::optional<Incoming>>> take(const Context& ctx) {
        auto item = co_await queue_.pop(ctx);
        if (!item) co_return std::unexpected(std::move(item).error());
        if (!*item || closed_) co_return Result<std::optional<Incoming>>(std::nullopt);
        if (!**item) co_return std::unexpected(std::move(**item).error());
        if (const std::size_t size = (**item)->bytes; size != 0) {
            bytes_ -= size;
            taken_.pulse();
        }
        co_return Result<std::optional<Incoming>>(std::move(***item));
    }

    /// No more items will be put; queued ones can still be taken.
    void finish() noexcept { queue_.close(); }
    /// No more items will be taken.
    void close() noexcept {
        closed_ = true;
        queue_.close();
        taken_.pulse();
    }

private:
    Queue<Result<Incoming>> queue_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Event taken_;
    bool closed_ = false;
};

}  // namespace gantry::mcp
