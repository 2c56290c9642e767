#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "client/runtime.hpp"
#include "gantry/client.hpp"
#include "mcp/client/settings.hpp"

namespace gantry {

/// Roots the program set after connecting; accessed on the runtime's thread.
struct Roots {
    std::optional<std::vector<mcp::Root>> replaced;
};

/// Wraps the program's handlers, which may block, in tasks that run them on threads of their own.
mcp::SessionHandlers on_own_threads(Runtime& runtime, const Handlers& handlers, std::shared_ptr<Roots> roots);

}  // namespace gantry
