#pragma once

#include <string_view>

#include "gateway/model/call.hpp"

namespace gantry::gateway {

/// Decides whether a caller may use an item. Deterministic, and answers without waiting.
class Policy {
public:
    virtual ~Policy() = default;
    /// `item` is null for what no list names: a task, or a resource that only a template covers. `own_name` is the
    /// source's name for it.
    virtual bool allows(const Principal& principal, std::string_view source, const Item* item,
                        std::string_view own_name, Verb verb) const = 0;
};

}  // namespace gantry::gateway
