#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// Bytes in and out of one peer: a TCP socket, a TLS session, a pipe pair, memory in tests.
///
/// At most one read and one write at a time. A timed-out or cancelled write leaves the
/// stream unusable: close it.
class Stream {
public:
    virtual ~Stream() = default;

    /// Waits for at least one byte. Zero means the peer finished cleanly.
    virtual Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into) = 0;

    /// Sends all of it. `bytes` must stay valid until the task is done.
    virtual Task<Result<void>> write(const Context& ctx, std::string_view bytes) = 0;

    /// Sends all pieces in order, in as few packets as the stream can. Pieces and bytes must stay valid
    /// until the task is done.
    virtual Task<Result<void>> write_pieces(const Context& ctx, std::span<const std::string_view> pieces);

    /// Hands over what goes without waiting and says how much that was; zero, also when the stream cannot
    /// tell. Spares the common small write a coroutine. Not while a write is pending.
    virtual Result<std::size_t> try_write(std::string_view bytes);

    /// Waits without consuming anything until the peer is gone or has finished sending: ends with
    /// kConnection then, else with the context's error; never succeeds. Counts as the one read. A stream
    /// that cannot know waits for the context only.
    virtual Task<Result<void>> wait_for_disconnect(const Context& ctx);

    /// Tells the peer that nothing more will come (TCP FIN, TLS close_notify, closed pipe).
    virtual Task<Result<void>> shutdown_write(const Context& ctx) = 0;

    /// Drops the connection at once; pending operations end with kConnection. May be called twice.
    virtual void close() noexcept = 0;
};

}  // namespace gantry
