#pragma once

#include <optional>
#include <string>

#include "gateway/model/call.hpp"
#include "mcp/server/call.hpp"

namespace gantry::surface {

/// The decoded request. `name` owns its text, because it may contain escapes on the wire.
struct Decoded {
    gateway::Verb verb = gateway::Verb::kCallTool;
    gateway::ItemKind about = gateway::ItemKind::kTool;
    std::string name;
};

/// The verb of a method; empty for one the gateway does not forward.
std::optional<gateway::Verb> verb_of(std::string_view method) noexcept;

/// kNotFound for a method the gateway does not forward; kInvalidArgument when the request does not say what it is
/// about.
Result<Decoded> decode_call(const mcp::Call& call);

}  // namespace gantry::surface
