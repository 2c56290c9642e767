#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/events/options.hpp"

namespace gantry::gateway::events {

/// Selects events by patterns on their types: "tool.failed", "source.*", "gantry.tool.called.v1". `*` matches anything;
/// "gantry." and ".v1" may be omitted. Without patterns: all events. With other names, patterns on these match as well.
class TypeFilter {
public:
    explicit TypeFilter(std::vector<std::string> patterns = {}, EventNames names = EventNames::kGantry)
        : patterns_(std::move(patterns)), names_(names) {}
    bool wants(std::string_view type) const noexcept;
    EventNames names() const noexcept { return names_; }

private:
    std::vector<std::string> patterns_;
    EventNames names_;
};

}  // namespace gantry::gateway::events
