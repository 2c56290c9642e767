#pragma once

#include "gateway/policy/rules.hpp"
#include "gateway/ports/policy.hpp"

namespace gantry::app {

/// Implements the guard's policy port with the configured allow and deny lists.
class StaticRules final : public gateway::Policy {
public:
    explicit StaticRules(gateway::StaticPolicy rules) : rules_(std::move(rules)) {}

    /// Replaces the rules from now on.
    void replace(gateway::StaticPolicy rules) { rules_ = std::move(rules); }

    bool allows(const gateway::Principal& principal, std::string_view source, const gateway::Item* item,
                std::string_view own_name, gateway::Verb verb) const override {
        using gateway::Verb;
        // A task runs for the principal that was allowed to start it; its id says nothing about the tool.
        const bool about_task = verb == Verb::kGetTask || verb == Verb::kUpdateTask || verb == Verb::kCancelTask ||
                                verb == Verb::kTaskResult;
        return about_task || rules_.permits(principal, item, source, own_name);
    }

private:
    gateway::StaticPolicy rules_;
};

}  // namespace gantry::app
