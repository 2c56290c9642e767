#pragma once

#include "gantry/error.hpp"

// What an error of a request says about the server.

namespace gantry::gateway {

/// The server rejected our credentials, as opposed to a tool or a method that returned an error.
inline bool is_refusal(const Error& error) noexcept {
    return error.rpc() == nullptr && (error.code() == ErrorCode::kUnauthorized || error.code() == ErrorCode::kDenied);
}

/// The server answered that it does not open legacy sessions, as opposed to not answering.
inline bool refuses_legacy(const Error& error) noexcept {
    return error.rpc() != nullptr || error.code() == ErrorCode::kUnsupported || error.code() == ErrorCode::kProtocol ||
           error.code() == ErrorCode::kNotFound;
}

/// The request may not have reached the server, or its answer was lost.
inline bool lost_connection(const Error& error) noexcept {
    return error.rpc() == nullptr &&
           (error.code() == ErrorCode::kConnection || error.code() == ErrorCode::kOutcomeUnknown);
}

}  // namespace gantry::gateway
