#pragma once

#include "gateway/policy/rules.hpp"
#include "gateway/ports/policy.hpp"

namespace gantry::gateway {

/// Implements the guard's policy port with the configured allow and deny lists.
class StaticRules final : public Policy {
public:
    explicit StaticRules(StaticPolicy rules) : rules_(std::move(rules)) {}

    bool allows(const Principal& principal, std::string_view source, const Item* item, std::string_view own_name,
                Verb verb) const override {
        // A task runs for the principal that was allowed to start it; its id says nothing about the tool.
        return is_about_task(verb) || rules_.permits(principal, item, source, own_name);
    }

private:
    const StaticPolicy rules_;
};

}  // namespace gantry::gateway
