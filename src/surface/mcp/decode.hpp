#pragma once

#include <optional>
#include <string>

#include "gateway/model/call.hpp"
#include "mcp/server/call.hpp"

namespace gantry::surface {

/// What a request asks of the gateway. `name` lives here because it may be spelt with escapes on the wire.
struct Decoded {
    gateway::Verb verb = gateway::Verb::kCallTool;
    gateway::ItemKind about = gateway::ItemKind::kTool;
    std::string name;
};

/// What a method asks for; empty for one the gateway does not carry.
std::optional<gateway::Verb> verb_of(std::string_view method) noexcept;

/// kNotFound for a method the gateway does not carry; kInvalidArgument when the request does not say what it is about.
Result<Decoded> decode_call(const mcp::Call& call);

}  // namespace gantry::surface
