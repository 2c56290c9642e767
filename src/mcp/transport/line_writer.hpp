#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "io/scope.hpp"
#include "io/stream.hpp"
#include "io/sync.hpp"

namespace gantry::mcp {

/// Sends lines whole and in order for any number of writers. Writes that may block half-way are done by a task of its
/// own, so a writer that gives up cannot truncate a line; lines queued meanwhile leave in one system call. A short line
/// with an empty queue is written at once, in the writer's own task.
///
/// Bounded: up to max_pending_bytes are queued, writers with as much again wait for room, and everything beyond fails
/// with kLimit. If the queue is full and the peer has read nothing for `stall`, that error is fatal.
class LineWriter {
public:
    struct Limits {
        std::size_t max_pending_bytes = 4u << 20;
        std::size_t max_lines = 4096;  // queued and waiting
        Duration stall = seconds(30);
    };

    /// `stream` must outlive the writer. `atomic_bytes`: writes up to this size happen completely or not at all, and
    /// cancelling one leaves the stream usable, as POSIX guarantees for pipes and PIPE_BUF; 0 if unknown.
    LineWriter(Stream& stream, Limits limits, std::size_t atomic_bytes);

    /// Starts the sending task in `scope`; it ends with the scope.
    void start(Scope& scope);

    /// Waits until `line` (without a newline) has been written to the stream.
    Task<Result<void>> write(const Context& ctx, std::string line);

    /// Bytes queued, being sent, or held by waiting writers.
    std::size_t held_bytes() const noexcept { return pending_.size() + batch_bytes_ + waiting_bytes_; }

private:
    bool has_room(std::size_t size) const noexcept {
        return pending_.empty() || pending_.size() + size <= limits_.max_pending_bytes;
    }
    Task<Result<void>> wait_for_room(const Context& ctx, std::size_t size);
    bool stalled() const noexcept { return busy_ && SteadyClock::now() - moved_ >= limits_.stall; }
    Error full() const;
    Task<Result<void>> write_at_once(const Context& ctx, const std::string& line);
    Task<Result<void>> send_batch(const Context& ctx, std::string_view batch);
    Task<void> send_all(Context ctx);

    Stream& stream_;
    Limits limits_;
    std::size_t atomic_bytes_;
    std::string pending_;
    std::uint64_t queued_ = 0;       // lines ever put into pending_
    std::uint64_t written_ = 0;      // of those, how many have been sent
    std::size_t batch_bytes_ = 0;    // being sent
    std::size_t waiting_bytes_ = 0;  // of writers waiting for room
    std::size_t waiting_lines_ = 0;
    bool busy_ = false;     // a task is writing to the stream
    TimePoint moved_ = {};  // last progress of the stream, or when the first line began to wait for it
    Event work_;
    Event progress_;
    std::optional<Error> broken_;
};

}  // namespace gantry::mcp
