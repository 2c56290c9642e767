#pragma once

#include "gantry/mcp/elicitation.hpp"
#include "gantry/mcp/roots.hpp"
#include "gantry/mcp/sampling.hpp"

namespace gantry::mcp {

/// roots/list as an input request.
struct ListRootsInput {
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListRootsInput&) const = default;
};

/// An input request with an unknown method.
struct UnknownInput {
    std::string method = {};
    Json params = {};

    bool operator==(const UnknownInput&) const = default;
};

/// One input a modern server needs from the client before it can answer.
using InputRequest = std::variant<ElicitParams, CreateMessageParams, ListRootsInput, UnknownInput>;

/// Keyed by the server's own keys, in its order.
using InputRequests = std::vector<std::pair<std::string, InputRequest>>;

/// The client's answers under the same keys: encoded results without an envelope.
using InputResponses = JsonObject;

/// A modern server's answer that requests input. The client repeats the request under a new id, with all
/// answers and the state, byte for byte.
struct InputRequired {
    InputRequests input_requests = {};
    std::optional<std::string> request_state = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const InputRequired&) const = default;
};

}  // namespace gantry::mcp
