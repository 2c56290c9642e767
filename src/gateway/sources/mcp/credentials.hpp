#pragma once

#include "gantry/error.hpp"

namespace gantry::gateway {

/// The server did not let us in, as opposed to a tool or a method that says no.
inline bool is_refusal(const Error& error) noexcept {
    return error.rpc() == nullptr && (error.code() == ErrorCode::kUnauthorized || error.code() == ErrorCode::kDenied);
}

/// The server answered that it opens no legacy session, as opposed to not answering.
inline bool refuses_legacy(const Error& error) noexcept {
    return error.rpc() != nullptr || error.code() == ErrorCode::kUnsupported || error.code() == ErrorCode::kProtocol ||
           error.code() == ErrorCode::kNotFound;
}

}  // namespace gantry::gateway
