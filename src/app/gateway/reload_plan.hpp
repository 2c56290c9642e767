#pragma once

#include <string>
#include <vector>

#include "app/config/config.hpp"

namespace gantry::app {

/// The effects of another configuration, in terms an operator knows.
struct ReloadPlan {
    /// Servers, by name. Changed ones are reconnected, unless only names, selection or limits differ.
    std::vector<std::string> added = {};
    std::vector<std::string> changed = {};
    std::vector<std::string> removed = {};
    /// Settings other than servers that differ and apply at once.
    std::vector<std::string> settings = {};
    /// Settings that are read only at startup: their new values apply after the next start.
    std::vector<std::string> later = {};
};

ReloadPlan plan_reload(const Config& now, const Config& next);

/// Whether connections of one can be reused for the other: they differ at most in what is offered of the server, and
/// how often.
bool same_connections(const gateway::McpServerSpec& a, const gateway::McpServerSpec& b);

}  // namespace gantry::app
