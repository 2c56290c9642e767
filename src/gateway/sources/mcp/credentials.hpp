#pragma once

#include "gantry/error.hpp"

namespace gantry::gateway {

/// The server did not let us in, as opposed to a tool or a method that says no.
inline bool is_refusal(const Error& error) noexcept {
    return error.rpc() == nullptr && (error.code() == ErrorCode::kUnauthorized || error.code() == ErrorCode::kDenied);
}

}  // namespace gantry::gateway
