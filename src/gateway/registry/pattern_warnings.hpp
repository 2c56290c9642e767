#pragma once

#include <string>
#include <vector>

#include "gateway/model/source_spec.hpp"
#include "gateway/registry/registry.hpp"

namespace gantry::gateway {

/// Patterns of `allow`, `deny` and groups that match nothing: usually a typing mistake or a renamed tool. One line
/// each. Patterns of a source that has not answered yet are not checked.
std::vector<std::string> pattern_warnings(const Registry& registry, const std::vector<GroupSpec>& groups);

}  // namespace gantry::gateway
