// Keywords that apply further schemas to the same value.
#include <algorithm>

#include "base/schema/evaluator.hpp"

namespace gantry::schema {

bool Evaluator::check_in_place(NodeId id, const InPlaceRules& rules, const At& at) {
    bool ok = true;
    const auto failed = [&](bool accepted) {
        ok = ok && accepted;
        return !accepted && !curious();
    };
    if (rules.ref != kNoNode && failed(apply(rules.ref, at))) return false;
    if (rules.dynamic_ref != kNoNode && failed(apply(dynamic_target(rules), at))) return false;
    for (const NodeId branch : rules.all_of) {
        if (failed(apply(branch, at))) return false;
    }
    if (!rules.any_of.empty() && failed(check_any_of(id, rules, at))) return false;
    if (!rules.one_of.empty() && failed(check_one_of(id, rules, at))) return false;
    if (rules.negated != kNoNode && accepts(rules.negated, At{at.value, at.path, nullptr})) {
        if (failed(refuse(id, "not", at.path, "must not match the schema under 'not'"))) return false;
    }
    if (rules.condition != kNoNode && failed(check_condition(rules, at))) return false;
    if (const JsonObject* object = rules.dependent.empty() ? nullptr : at.value.if_object()) {
        for (const auto& dependent : rules.dependent) {
            if (!spend(1)) return false;
            if (object->contains(dependent.trigger) && failed(apply(dependent.node, at))) return false;
        }
    }
    return ok;
}

/// The outermost resource entered so far that has the anchor determines the target.
NodeId Evaluator::dynamic_target(const InPlaceRules& rules) {
    if (!rules.dynamic_name) return rules.dynamic_ref;
    for (const std::uint32_t scope : scopes_) {
        if (!spend(1 + program_.scopes[scope].anchors.size() / 8)) break;
        for (const auto& [name, node] : program_.scopes[scope].anchors) {
            if (name == *rules.dynamic_name) return node;
        }
    }
    return rules.dynamic_ref;
}

bool Evaluator::check_any_of(NodeId id, const InPlaceRules& rules, const At& at) {
    bool any = false;
    for (const NodeId branch : rules.any_of) {
        Evaluated seen;
        const bool accepted = accepts(branch, At{at.value, at.path, at.evaluated ? &seen : nullptr});
        if (stopped_) return false;
        if (!accepted) continue;
        any = true;
        if (!at.evaluated) return true;
        if (!merge(*at.evaluated, seen)) return false;
    }
    return any || explain_alternatives(id, rules.any_of, "anyOf", at);
}

bool Evaluator::check_one_of(NodeId id, const InPlaceRules& rules, const At& at) {
    std::size_t matches = 0;
    for (const NodeId branch : rules.one_of) {
        Evaluated seen;
        const bool accepted = accepts(branch, At{at.value, at.path, at.evaluated ? &seen : nullptr});
        if (stopped_) return false;
        if (!accepted) continue;
        if (++matches > 1) {
            return refuse(id, "oneOf", at.path, "must match exactly one alternative, but matches several");
        }
        if (at.evaluated && !merge(*at.evaluated, seen)) return false;
    }
    return matches == 1 || explain_alternatives(id, rules.one_of, "oneOf", at);
}

/// No branch matched. If only one branch applies to this type of value, reports its issues;
/// otherwise the acceptable types, if every branch specifies some.
bool Evaluator::explain_alternatives(NodeId id, const std::vector<NodeId>& branches, const char* keyword,
                                     const At& at) {
    if (!curious()) return false;
    const auto types_of = [this](NodeId node) {
        std::uint8_t types = kTypeAny;
        for (int i = 0; i < 8 && node != kNoNode; ++i) {
            types = program_.nodes[node].types;
            const auto& in_place = program_.nodes[node].in_place;
            if (types != kTypeAny || !in_place) break;
            node = in_place->ref;
        }
        return types;
    };
    std::uint8_t all = 0;
    std::size_t candidates = 0;
    NodeId candidate = kNoNode;
    for (const NodeId branch : branches) {
        const std::uint8_t types = types_of(branch);
        all |= types;
        const std::uint8_t admitted = (types & kTypeInteger) != 0 ? types | kTypeNumber : types;
        if ((admitted & type_of(at.value)) == 0) continue;
        ++candidates;
        candidate = branch;
    }
    if (candidates == 1) {
        const std::size_t before = report_.issues.size();
        apply(candidate, At{at.value, at.path, nullptr});
        if (report_.issues.size() > before) return false;
    }
    if (candidates == 0) return refuse(id, keyword, at.path, "must be " + type_names(all));
    return refuse(id, keyword, at.path, "must match one of " + std::to_string(branches.size()) + " alternatives");
}

bool Evaluator::check_condition(const InPlaceRules& rules, const At& at) {
    Evaluated seen;
    const bool holds = accepts(rules.condition, At{at.value, at.path, at.evaluated ? &seen : nullptr});
    if (stopped_) return false;
    if (holds && at.evaluated && !merge(*at.evaluated, seen)) return false;
    const NodeId next = holds ? rules.then : rules.otherwise;
    return next == kNoNode || apply(next, at);
}

}  // namespace gantry::schema
