#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"

namespace gantry::gateway {

/// An error for a call that the gateway did not let through, in a form that programs can act on: it carries JSON-RPC
/// data with `reason` ("circuit_open"), `server`, `retryable` and `retryAfterMs`. The call was not executed.
Error refusal(ErrorCode code, std::string message, std::string_view reason, std::string_view server,
              Duration retry_after);

}  // namespace gantry::gateway
