#pragma once

#include <string>
#include <vector>

#include "gateway/model/source_spec.hpp"
#include "gateway/registry/registry.hpp"

namespace gantry::app {

/// Patterns of `allow`, `deny` and groups that match nothing: most often a typing mistake, or a tool that was renamed.
/// One line each. A source that has not answered yet says nothing about its patterns.
std::vector<std::string> pattern_warnings(const gateway::Registry& registry,
                                          const std::vector<gateway::GroupSpec>& groups);

}  // namespace gantry::app
