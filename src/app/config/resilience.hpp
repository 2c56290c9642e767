#pragma once

#include "app/config/section.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// Reads a server's connection and resilience settings: `breaker`, `max_concurrent`, `rate`, `connect` and so on.
void read_resilience(Section& section, gateway::McpServerSpec& server);

/// "10/s", "60/m", "1000/h", or per second as a number.
extern const Kind<gateway::Rate> read_rate;

}  // namespace gantry::app
