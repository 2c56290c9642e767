#pragma once

#include <optional>
#include <string>

#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

namespace gantry::mcp {

/// What a server reported about itself when the session was opened.
struct ServerDescription {
    Revision revision = Revision::k2025_11_25;
    Implementation info;
    ServerCapabilities capabilities;
    std::optional<std::string> instructions;
};

}  // namespace gantry::mcp
