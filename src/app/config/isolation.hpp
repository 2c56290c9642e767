#pragma once

#include "app/config/section.hpp"
#include "gateway/model/isolation.hpp"

namespace gantry::app {

/// Reads `isolation: standard`, or a map with `level` and details; docs/configuration.md has every key.
void read_isolation(Section& server, gateway::Isolation& isolation);

}  // namespace gantry::app
