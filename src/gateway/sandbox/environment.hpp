#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/sandbox/levels.hpp"

namespace gantry::gateway::sandbox {

/// Completes an environment that already holds the server's own `env` and the short default list: adds the listed names
/// from `ours`, the server's HOME, and the proxy if there is one.
void complete_environment(process::Environment& environment, const McpServerSpec& server, const Rules& rules,
                          const process::Environment& ours);

/// This process's environment variables.
process::Environment host_environment();

/// The proxy's port inside the child's network namespace.
inline constexpr std::uint16_t kProxyPort = 3128;

}  // namespace gantry::gateway::sandbox
