#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gantry {

/// Why there is no answer. Closed on purpose: a caller can switch over it and be done.
enum class ErrorCode : std::uint8_t {
    kInvalidArgument,  ///< the caller's own mistake: bad option, bad argument, use after close
    kParse,            ///< bytes that are not what they claim to be (JSON, HTTP, URL, PEM …)
    kProtocol,         ///< well-formed, but against the rules of MCP, JSON-RPC or HTTP
    kSchema,           ///< a value does not satisfy its JSON Schema, or the schema itself is unusable
    kConnection,       ///< the peer cannot be reached or the connection broke before the request was sent
    kOutcomeUnknown,   ///< the connection broke after the request was sent: it may or may not have run
    kTimeout,          ///< the deadline passed first
    kCancelled,        ///< the caller asked to stop
    kUnauthorized,     ///< credentials are missing, expired or refused
    kDenied,           ///< known caller, forbidden action; also what the egress guard answers
    kNotFound,         ///< no such tool, prompt, resource, session or method
    kLimit,            ///< larger, deeper or more than the configured limit
    kRpc,              ///< the peer answered with a JSON-RPC error; see Error::rpc()
    kTool,             ///< a tool ran and failed; only made by the throwing view of a result
    kUnsupported,      ///< neither side did wrong, but this combination cannot work
    kInternal,         ///< a bug or an exhausted machine
};

/// The code's name as printed by the command line and in logs, e.g. "timeout".
std::string_view to_string(ErrorCode code) noexcept;

/// What a peer said when it answered with a JSON-RPC error. `data` is its raw JSON, empty if absent.
struct RpcError {
    std::int64_t code = 0;
    std::string message;
    std::string data;
};

/// One failure, told for the person who has to act on it.
///
/// Messages name things (servers, tools, paths, limits), never argument values or secrets.
/// Three words long, because every Result on every path has room for one; copies share the rest.
class [[nodiscard]] Error {
public:
    Error(ErrorCode code, std::string message);

    ErrorCode code() const noexcept { return code_; }
    const std::string& message() const noexcept;

    /// Worth trying again later without changing anything, and safe to: the request did not run.
    bool retryable() const noexcept { return retryable_; }
    /// The connection is of no further use; other calls on it will fail too.
    bool fatal() const noexcept { return fatal_; }

    /// Set when the peer answered with a JSON-RPC error.
    const RpcError* rpc() const noexcept;
    /// What made this happen, one level down; null at the bottom.
    const Error* cause() const noexcept;
    /// The server and the tool concerned, empty when unknown.
    const std::string& server() const noexcept;
    const std::string& tool() const noexcept;

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

    /// The same error seen from one level up: "<context>: <message>", everything else kept.
    Error within(std::string_view context) const;

    /// "timeout: tools/call did not finish within 30 s (cause: …)".
    std::string to_string() const;

private:
    struct Story;
    const Story& story() const noexcept;
    /// A story of its own, to be changed.
    Story& retell();

    ErrorCode code_;
    bool fatal_ = false;
    bool retryable_;
    std::shared_ptr<const Story> story_;
};

/// A value, or the reason why there is none. Expected failures travel as this; bugs assert.
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
