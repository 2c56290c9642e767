#pragma once

#include <memory>
#include <vector>

#include "gateway/model/approval.hpp"
#include "gateway/model/guard_limits.hpp"
#include "gateway/model/source_spec.hpp"
#include "gateway/ports/policy.hpp"
#include "gateway/ports/tracer.hpp"

namespace gantry::gateway {

/// What the configuration says about calls. Immutable: another configuration brings other settings.
struct CallSettings {
    /// Who may use what. Null: every caller may use everything.
    std::shared_ptr<const Policy> policy = {};
    GuardLimits limits = {};
    /// Which calls need a person's approval; `groups` are those its rules name.
    ApprovalOptions approvals = {};
    std::vector<GroupSpec> groups = {};
    /// Null: calls are not traced.
    std::shared_ptr<Tracer> tracer = {};

    bool allows(const Principal& principal, std::string_view source, const Item* item, std::string_view own_name,
                Verb verb) const {
        return policy == nullptr || policy->allows(principal, source, item, own_name, verb);
    }
};
using CallSettingsPtr = std::shared_ptr<const CallSettings>;

}  // namespace gantry::gateway
