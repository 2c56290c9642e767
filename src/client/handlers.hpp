#pragma once

#include "client/runtime.hpp"
#include "gantry/client.hpp"
#include "mcp/client/settings.hpp"

namespace gantry {

/// The program's handlers, which may block, as the session wants them: tasks that run them on threads of their own.
mcp::SessionHandlers on_own_threads(Runtime& runtime, const Handlers& handlers);

}  // namespace gantry
