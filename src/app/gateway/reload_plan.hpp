#pragma once

#include <string>
#include <vector>

#include "app/config/config.hpp"

namespace gantry::app {

/// The effects of another configuration, in terms an operator knows.
struct ReloadPlan {
    /// Servers, by name. Changed ones are reconnected unless same_connections().
    std::vector<std::string> added = {};
    std::vector<std::string> changed = {};
    std::vector<std::string> removed = {};
    /// Keys other than those of servers whose change applies now: at once, or with a new connection of the servers
    /// whose defaults they are. An entry of a list counts as one: "webhooks.pager".
    std::vector<std::string> settings = {};
    /// Keys whose change applies after the next start.
    std::vector<std::string> later = {};
};

/// What a key does is declared where it is read (app/config/about.hpp).
ReloadPlan plan_reload(const Config& now, const Config& next);

/// Whether connections of one can be reused for the other: they differ at most in keys that are declared to apply at
/// once.
bool same_connections(const gateway::McpServerSpec& a, const gateway::McpServerSpec& b);

}  // namespace gantry::app
