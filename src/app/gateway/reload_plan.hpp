#pragma once

#include <string>
#include <vector>

#include "app/config/config.hpp"

namespace gantry::app {

/// What another configuration changes, in words an operator knows.
struct ReloadPlan {
    /// Servers, by name. Those that change are connected anew unless only names, choice or limits differ.
    std::vector<std::string> added = {};
    std::vector<std::string> changed = {};
    std::vector<std::string> removed = {};
    /// Settings beside servers that differ and count at once.
    std::vector<std::string> settings = {};
    /// Settings that are read at the start only: the new values count from the next one on.
    std::vector<std::string> later = {};
};

ReloadPlan plan_reload(const Config& now, const Config& next);

/// The connections of one serve the other as well: they differ at most in what is offered of it, and how often.
bool same_connections(const gateway::McpServerSpec& a, const gateway::McpServerSpec& b);

}  // namespace gantry::app
