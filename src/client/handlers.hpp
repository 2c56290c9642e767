#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "client/runtime.hpp"
#include "gantry/client.hpp"
#include "mcp/client/settings.hpp"

namespace gantry {

/// Roots the program set after connecting; on the runtime's thread.
struct Roots {
    std::optional<std::vector<mcp::Root>> replaced;
};

/// The program's handlers, which may block, as the session wants them: tasks that run them on threads of their own.
mcp::SessionHandlers on_own_threads(Runtime& runtime, const Handlers& handlers, std::shared_ptr<Roots> roots);

}  // namespace gantry
