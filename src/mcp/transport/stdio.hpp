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
    /// Looked up in the child's PATH when it has no slash; never goes through a shell.
    std::string command = {};
    std::vector<std::string> args = {};
    /// On top of process::default_environment(); a name given here wins.
    std::vector<std::pair<std::string, std::string>> env = {};
    std::string cwd = {};  // empty: ours
    /// A longer line ends the connection with kLimit.
    std::size_t max_line_bytes = 64u << 20;
    /// Bytes queued for a child that does not read; writers of as many again wait, more are refused with kLimit.
    std::size_t max_pending_bytes = 4u << 20;
    /// Refuse messages with lone surrogates instead of replacing those with U+FFFD.
    bool strict_json = false;
    /// How long a child may take nothing while that bound is reached; then the connection ends.
    Duration stall_timeout = seconds(30);
    /// Sees each line of the child's stderr (cut at 8 KB).
    std::function<void(std::string_view line)> on_stderr = {};
    /// Sees each line of the child's stdout that is no message.
    std::function<void(std::string_view line)> on_noise = {};
    process::Process::StopTimes stop = {};
    WireTap tap = {};
    /// Has the last word about every start: isolation, environment.
    std::function<Result<void>(process::Command& command)> prepare = {};
};

/// Whether a connection ended because the server did, in order and by itself.
bool is_orderly_exit(const Error& error);

/// A server run as a child, one JSON message per line on its stdin and stdout.
///
/// Tolerates CRLF, blank lines and noise: a line that is no message is a non-fatal kParse from read(). The end
/// of the child is a fatal kConnection that names its exit status and its last words on stderr. A write() whose
/// context ends early may still be sent; it never cuts a line in half.
class StdioTransport final : public Transport {
public:
    explicit StdioTransport(StdioConfig config);

    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    StdioConfig config_;
};

}  // namespace gantry::mcp
