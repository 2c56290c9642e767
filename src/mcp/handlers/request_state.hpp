#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::auth {
class Sealer;
}

namespace gantry::mcp {

/// What a modern client carries from one round of a request to the next, because the server keeps no state: the owner
/// and the request it belongs to, and the answers so far. Sealed, so that the client can neither read nor change it,
/// and useless to other clients, for other requests or after it expired.
struct RequestState {
    std::string owner;         // see owner_of()
    std::string request;       // request_digest()
    std::int64_t expires = 0;  // seconds since 1970
    std::int64_t round = 0;
    JsonObject answers;
};

/// Equal for equal method and params, regardless of `_meta`, answers and state.
std::string request_digest(std::string_view method, const Json& params);

/// kLimit if the state is too large.
Result<std::string> seal_state(auth::Sealer& sealer, const RequestState& state);
/// kInvalidArgument, without a reason, unless this is an unexpired state of this owner and request.
Result<RequestState> open_state(auth::Sealer& sealer, std::string_view sealed, std::string_view owner,
                                std::string_view request, std::chrono::system_clock::time_point now);

}  // namespace gantry::mcp
