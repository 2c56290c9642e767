#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "io/scope.hpp"
#include "io/stream.hpp"
#include "io/sync.hpp"

namespace gantry::mcp {

/// Sends lines whole and in order for any number of writers. One task owns the stream's write side, so a writer
/// that gives up half-way cannot cut a line; lines that pile up meanwhile leave in one system call.
class LineWriter {
public:
    /// `stream` must outlive the writer.
    LineWriter(Stream& stream, std::size_t max_pending_bytes);

    /// Starts the sending task in `scope`; it ends with the scope.
    void start(Scope& scope);

    /// Waits until `line` (no newline in it) has been handed to the stream.
    Task<Result<void>> write(const Context& ctx, std::string line);

private:
    Task<void> send_all(Context ctx);

    Stream& stream_;
    std::size_t max_pending_bytes_;
    std::string pending_;
    std::uint64_t queued_ = 0;   // lines ever put into pending_
    std::uint64_t written_ = 0;  // of those, how many have left
    Event work_;
    Event progress_;
    std::optional<Error> broken_;
};

}  // namespace gantry::mcp
