#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "io/scope.hpp"
#include "io/stream.hpp"
#include "io/sync.hpp"

namespace gantry::mcp {

/// Sends lines whole and in order for any number of writers. A task of its own sends what may block half-way, so a
/// writer that gives up cannot cut a line; lines that pile up meanwhile leave in one system call. A short line with
/// nobody ahead goes out at once, in the writer's own task.
class LineWriter {
public:
    /// `stream` must outlive the writer. `atomic_bytes`: writes up to this size happen whole or not at all, and giving
    /// one up leaves the stream usable, as POSIX says of pipes and PIPE_BUF; 0 when nothing is known.
    LineWriter(Stream& stream, std::size_t max_pending_bytes, std::size_t atomic_bytes);

    /// Starts the sending task in `scope`; it ends with the scope.
    void start(Scope& scope);

    /// Waits until `line` (no newline in it) has been handed to the stream.
    Task<Result<void>> write(const Context& ctx, std::string line);

private:
    Task<Result<void>> write_at_once(const Context& ctx, const std::string& line);
    Task<void> send_all(Context ctx);

    Stream& stream_;
    std::size_t max_pending_bytes_;
    std::size_t atomic_bytes_;
    std::string pending_;
    std::uint64_t queued_ = 0;   // lines ever put into pending_
    std::uint64_t written_ = 0;  // of those, how many have left
    bool busy_ = false;          // somebody is writing to the stream
    Event work_;
    Event progress_;
    std::optional<Error> broken_;
};

}  // namespace gantry::mcp
