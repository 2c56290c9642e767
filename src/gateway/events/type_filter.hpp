#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway::events {

/// Selects events by patterns on their types: "tool.failed", "source.*", "gantry.tool.called.v1". `*` matches anything;
/// "gantry." and ".v1" may be omitted. Without patterns: all events.
class TypeFilter {
public:
    explicit TypeFilter(std::vector<std::string> patterns = {}) : patterns_(std::move(patterns)) {}
    bool wants(std::string_view type) const noexcept;

private:
    std::vector<std::string> patterns_;
};

}  // namespace gantry::gateway::events
