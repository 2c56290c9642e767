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

/// What a modern client carries from one round of a request to the next, because the server keeps nothing: who asked
/// for what, and the answers given so far. Sealed, so that the client can neither read nor change it, and of no use
/// to anybody else, for another request or after its time.
struct RequestState {
    std::string owner;         // see owner_of()
    std::string request;       // request_digest()
    std::int64_t expires = 0;  // seconds since 1970
    std::int64_t round = 0;
    JsonObject answers;
};

/// The same for the same method and params, whatever `_meta`, answers and state they carry this time.
std::string request_digest(std::string_view method, const Json& params);

/// kLimit when there is too much to carry.
Result<std::string> seal_state(auth::Sealer& sealer, const RequestState& state);
/// kInvalidArgument, without saying why, for anything but an unexpired state of this owner and request.
Result<RequestState> open_state(auth::Sealer& sealer, std::string_view sealed, std::string_view owner,
                                std::string_view request, std::chrono::system_clock::time_point now);

}  // namespace gantry::mcp
