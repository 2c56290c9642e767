#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/process/process.hpp"
#include "mcp/transport/connection.hpp"
#include "mcp/transport/wire_tap.hpp"

namespace gantry::mcp {

struct StdioConfig {
    /// Looked up in the child's PATH if it contains no slash; no shell is involved.
    std::string command = {};
    std::vector<std::string> args = {};
    /// Added to process::default_environment(); these take precedence.
    std::vector<std::pair<std::string, std::string>> env = {};
    std::string cwd = {};  // empty: this process's
    /// A longer line ends the connection with kLimit.
    std::size_t max_line_bytes = 64u << 20;
    /// Bytes queued for a child that does not read; writers with as much again wait, further ones fail with kLimit.
    std::size_t max_pending_bytes = 4u << 20;
    /// Reject messages with lone surrogates instead of replacing those with U+FFFD.
    bool strict_json = false;
    /// How long a child may read nothing while that bound is reached; then the connection ends.
    Duration stall_timeout = seconds(30);
    /// Receives each line of the child's stderr (truncated to 8 KB).
    std::function<void(std::string_view line)> on_stderr = {};
    /// Receives each line of the child's stdout that is not a message.
    std::function<void(std::string_view line)> on_noise = {};
    process::Process::StopTimes stop = {};
    WireTap tap = {};
    /// Called last before every start, to adjust the command: isolation, environment.
    std::function<Result<void>(process::Command& command)> prepare = {};
};

/// Whether a connection ended because the server exited cleanly and by itself.
bool is_orderly_exit(const Error& error);

/// A server run as a child, one JSON message per line on its stdin and stdout.
///
/// Tolerates CRLF, blank lines and noise: a line that is not a message is a non-fatal kParse from read(). The exit
/// of the child is a fatal kConnection with its exit status and last stderr lines. A write() whose context ends early
/// may still be sent; a line is never truncated.
class StdioTransport final : public Transport {
public:
    explicit StdioTransport(StdioConfig config);

    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    StdioConfig config_;
};

}  // namespace gantry::mcp
