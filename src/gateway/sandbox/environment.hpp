#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/sandbox/levels.hpp"

namespace gantry::gateway::sandbox {

/// Completes what the server's own `env` and the short default list already hold: the listed names of `ours`, the
/// server's HOME, and the proxy where there is one.
void complete_environment(process::Environment& environment, const McpServerSpec& server, const Rules& rules,
                          const process::Environment& ours);

/// This process's variables.
process::Environment host_environment();

/// Where the proxy listens inside the child's network.
inline constexpr std::uint16_t kProxyPort = 3128;

}  // namespace gantry::gateway::sandbox
