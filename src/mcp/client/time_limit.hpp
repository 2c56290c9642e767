#pragma once

#include "io/context.hpp"

namespace gantry::mcp {

/// The error of an operation that ran with a limit of its own. If that limit ended it, and not the deadline of the
/// caller's context, the error names it (Error::timeout).
inline Error naming_limit(Error error, Duration limit, Deadline own, const Context& callers) {
    if (error.code() != ErrorCode::kTimeout || callers.deadline() < own) return error;
    return std::move(error).timed_out_after(std::chrono::ceil<milliseconds>(limit));
}

}  // namespace gantry::mcp
