#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gantry {

/// Why an operation failed. A closed set, so that a caller can switch over it exhaustively.
enum class ErrorCode : std::uint8_t {
    kInvalidArgument,  ///< the caller's own mistake: bad option, bad argument, use after close
    kParse,            ///< malformed input (JSON, HTTP, URL, PEM …)
    kProtocol,         ///< well-formed, but violates MCP, JSON-RPC or HTTP
    kSchema,           ///< a value does not satisfy its JSON Schema, or the schema itself is unusable
    kConnection,       ///< the peer is unreachable, or the connection broke before the request was sent
    kOutcomeUnknown,   ///< the connection broke after the request was sent: it may or may not have run
    kTimeout,          ///< the deadline passed
    kCancelled,        ///< the caller cancelled
    kUnauthorized,     ///< credentials are missing, expired or rejected
    kDenied,           ///< authenticated, but not permitted; also by the egress guard or a tool filter
    kNotFound,         ///< no such tool, prompt, resource, session or method
    kLimit,            ///< larger, deeper or more than the configured limit
    kRpc,              ///< the peer answered with a JSON-RPC error; see Error::rpc()
    kTool,             ///< a tool ran and failed; only produced by or_throw()
    kUnsupported,      ///< both sides behave correctly, but this combination cannot work
    kInternal,         ///< a bug, or the machine is out of resources
};

/// The code's name as printed by the command line and in logs, e.g. "timeout".
std::string_view to_string(ErrorCode code) noexcept;

/// A JSON-RPC error as sent by the peer. `data` is its raw JSON, empty if absent.
struct RpcError {
    std::int64_t code = 0;
    std::string message;
    std::string data;
};

/// One failure, worded for the person who has to act on it.
///
/// Messages name things (servers, tools, paths, limits), never argument values or secrets.
/// Three words in size, because every Result reserves room for one; copies share the details.
class [[nodiscard]] Error {
public:
    Error(ErrorCode code, std::string message);

    ErrorCode code() const noexcept { return code_; }
    const std::string& message() const noexcept;

    /// A later retry of the unchanged request may succeed and is safe: the request did not run.
    bool retryable() const noexcept { return retryable_; }
    /// The connection is unusable; other calls on it will fail too.
    bool fatal() const noexcept { return fatal_; }

    /// Non-null if the peer answered with a JSON-RPC error.
    const RpcError* rpc() const noexcept;
    /// The underlying error; null if there is none.
    const Error* cause() const noexcept;
    /// The server and tool concerned; empty if unknown.
    const std::string& server() const noexcept;
    const std::string& tool() const noexcept;
    /// How the client reaches the server, for kConnection and kOutcomeUnknown: "stdio", "streamable-http" or "sse".
    /// Empty if unknown.
    const std::string& transport() const noexcept;
    /// The limit that was exceeded, for kTimeout; empty if unknown.
    std::optional<std::chrono::milliseconds> timeout() const noexcept;

    Error&& retryable(bool value) && {
        retryable_ = value;
        return std::move(*this);
    }
    Error&& fatal(bool value) && {
        fatal_ = value;
        return std::move(*this);
    }
    Error&& rpc(RpcError value) &&;
    Error&& caused_by(Error inner) &&;
    Error&& on_server(std::string name) &&;
    Error&& on_tool(std::string name) &&;
    Error&& on_transport(std::string name) &&;
    /// Sets the timeout, unless one is set: the limit that is nearest to the wait is the exact one.
    Error&& timed_out_after(std::chrono::milliseconds limit) &&;

    /// This error with context added: the message becomes "<context>: <message>", everything else is kept.
    Error within(std::string_view context) const;

    /// "timeout: tools/call did not finish within 30 s (cause: …)".
    std::string to_string() const;

private:
    struct Details;
    const Details& details() const noexcept;
    /// Copy on write: returns details that no other Error shares.
    Details& mutable_details();

    ErrorCode code_;
    bool fatal_ = false;
    bool retryable_;
    std::shared_ptr<const Details> details_;
};

/// A value, or the reason why there is none. Used for expected failures; bugs assert.
template <class T>
using Result = std::expected<T, Error>;

/// `return fail(ErrorCode::kParse, "…")` from any function that returns a Result.
inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
    return std::unexpected<Error>(Error(code, std::move(message)));
}
inline std::unexpected<Error> fail(Error error) {
    return std::unexpected<Error>(std::move(error));
}

}  // namespace gantry
