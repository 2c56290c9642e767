#pragma once

#include "app/config/config.hpp"
#include "app/config/section.hpp"

namespace gantry::app {

/// Reads `audit`, `webhooks`, `feed`, `metrics`, `traces` and `log`.
void read_events(Section& top, Config& config);

}  // namespace gantry::app
