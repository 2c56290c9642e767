#pragma once

#include "gantry/mcp/elicitation.hpp"
#include "gantry/mcp/roots.hpp"
#include "gantry/mcp/sampling.hpp"

namespace gantry::mcp {

/// roots/list asked as an input request.
struct ListRootsInput {
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListRootsInput&) const = default;
};

/// An input request of a method not known here.
struct UnknownInput {
    std::string method = {};
    Json params = {};

    bool operator==(const UnknownInput&) const = default;
};

/// One thing a modern server needs from the client before it can answer.
using InputRequest = std::variant<ElicitParams, CreateMessageParams, ListRootsInput, UnknownInput>;

/// By the server's own keys, in its order.
using InputRequests = std::vector<std::pair<std::string, InputRequest>>;

/// The answers by the same keys: bare results, encoded.
using InputResponses = JsonObject;

/// A modern answer that asks back. The client sends the same request again under a new id with all
/// answers and, byte for byte, the state.
struct InputRequired {
    InputRequests input_requests = {};
    std::optional<std::string> request_state = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const InputRequired&) const = default;
};

}  // namespace gantry::mcp
