#pragma once

#include <string>
#include <vector>

#include "gateway/model/source_spec.hpp"
#include "gateway/registry/registry.hpp"

namespace gantry::app {

/// Patterns of `allow`, `deny` and groups that match nothing: usually a typing mistake or a renamed tool. One line
/// each. Patterns of a source that has not answered yet are not checked.
std::vector<std::string> pattern_warnings(const gateway::Registry& registry,
                                          const std::vector<gateway::GroupSpec>& groups);

}  // namespace gantry::app
