#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "gantry/client.hpp"
#include "gantry/error.hpp"

// For programs that prefer exceptions. Gantry's functions return Result; `or_throw` converts it:
//
//     try {
//         std::string text = gantry::or_throw(client.call("echo", {{"message", "hi"}})).text();
//     } catch (const gantry::TimeoutError& late) { … }

namespace gantry {

class Exception : public std::exception {
public:
    explicit Exception(Error error) : error_(std::move(error)), what_(error_.to_string()) {}
    const char* what() const noexcept override { return what_.c_str(); }
    /// Server, tool, JSON-RPC error, retryable and fatal flags.
    const Error& error() const noexcept { return error_; }

    /// The server concerned; empty if unknown.
    const std::string& server_name() const noexcept { return error_.server(); }

private:
    Error error_;
    std::string what_;
};

/// The server cannot be reached, or the connection was lost (then the outcome may be unknown).
class ConnectionError final : public Exception {
public:
    using Exception::Exception;
    /// "stdio", "streamable-http" or "sse"; empty if unknown.
    const std::string& transport() const noexcept { return error().transport(); }
};
/// The tool ran and failed, or the server rejected the call.
class ToolError final : public Exception {
public:
    using Exception::Exception;
    const std::string& tool_name() const noexcept { return error().tool(); }
    /// Null if the tool ran and failed.
    const RpcError* rpc_error() const noexcept { return error().rpc(); }
};
class TimeoutError final : public Exception {
public:
    using Exception::Exception;
    /// The limit that was exceeded; empty if unknown.
    std::optional<std::chrono::milliseconds> timeout() const noexcept { return error().timeout(); }
};
/// Arguments or a result violate the tool's schema.
class SchemaError final : public Exception {
public:
    using Exception::Exception;
    const std::string& tool_name() const noexcept { return error().tool(); }
    /// The place and the rule, never the value.
    const std::string& reason() const noexcept { return error().message(); }
};
class AuthorizationError final : public Exception {
public:
    using Exception::Exception;
};

/// Throws the exception class for the error's code; Exception itself if there is none.
[[noreturn]] void throw_error(Error error);

template <class T>
T or_throw(Result<T> result) {
    if (!result) throw_error(std::move(result).error());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Also throws if the tool ran and failed, with its text as the message.
mcp::CallToolResult or_throw(Result<mcp::CallToolResult> result);

}  // namespace gantry
