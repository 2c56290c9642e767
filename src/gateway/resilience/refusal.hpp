#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"

namespace gantry::gateway {

/// Something this gateway did not let through, told so that a program can act on it: the error carries JSON-RPC data
/// with `reason` ("circuit_open"), `server`, `retryable` and `retryAfterMs`. Nothing ran.
Error refusal(ErrorCode code, std::string message, std::string_view reason, std::string_view server,
              Duration retry_after);

}  // namespace gantry::gateway
