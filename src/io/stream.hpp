#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// A bidirectional byte stream to one peer: a TCP socket, a TLS session, a pipe pair, memory in tests.
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

    /// Sends all pieces in order, in as few packets as possible. Pieces and bytes must stay valid
    /// until the task is done.
    virtual Task<Result<void>> write_pieces(const Context& ctx, std::span<const std::string_view> pieces);

    /// Writes what is possible without waiting and returns how much; zero also if the stream does not support
    /// this. Saves a coroutine for the common small write. Not while a write is pending.
    virtual Result<std::size_t> try_write(std::string_view bytes);

    /// Waits, without consuming anything, until the peer disconnects or finishes sending: fails with
    /// kConnection then, else with the context's error; never succeeds. Counts as the one read. A stream
    /// that cannot detect it waits for the context only.
    virtual Task<Result<void>> wait_for_disconnect(const Context& ctx);

    /// Half-closes: signals that nothing more will be sent (TCP FIN, TLS close_notify, closed pipe).
    virtual Task<Result<void>> shutdown_write(const Context& ctx) = 0;

    /// Closes the connection immediately; pending operations fail with kConnection. May be called twice.
    virtual void close() noexcept = 0;
};

}  // namespace gantry
