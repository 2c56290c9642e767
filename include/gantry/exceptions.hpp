#pragma once

#include <exception>
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

private:
    Error error_;
    std::string what_;
};

/// The server cannot be reached, or the connection was lost (then the outcome may be unknown).
class ConnectionError final : public Exception {
public:
    using Exception::Exception;
};
/// The tool ran and failed, or the server rejected the call.
class ToolError final : public Exception {
public:
    using Exception::Exception;
};
class TimeoutError final : public Exception {
public:
    using Exception::Exception;
};
/// Arguments or a result violate the tool's schema.
class SchemaError final : public Exception {
public:
    using Exception::Exception;
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
