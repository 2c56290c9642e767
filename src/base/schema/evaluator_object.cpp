#include "base/schema/evaluator.hpp"

namespace gantry::schema {
namespace {

std::string quoted_name(const std::string& name) {
    return "'" + (name.size() > 128 ? name.substr(0, 128) + "…" : name) + "'";
}

}  // namespace

bool Evaluator::check_object(NodeId id, const ObjectRules& rules, const At& at) {
    const std::size_t size = at.value.if_object()->size();
    bool ok = true;
    if (rules.min_properties && size < *rules.min_properties) {
        ok = refuse(id, "minProperties", at.path,
                    "must have at least " + std::to_string(*rules.min_properties) + " properties");
    }
    if (rules.max_properties && size > *rules.max_properties) {
        ok = refuse(id, "maxProperties", at.path,
                    "must have at most " + std::to_string(*rules.max_properties) + " properties");
    }
    if (!ok && !curious()) return false;
    if (!check_members(id, rules, at)) ok = false;
    if (!ok && !curious()) return false;
    if (!rules.dependent_names.empty() && !check_dependent_names(id, rules, at)) ok = false;
    return ok;
}

bool Evaluator::check_members(NodeId id, const ObjectRules& rules, const At& at) {
    const JsonObject& object = *at.value.if_object();
    const bool looks_at_each = rules.additional != kNoNode || rules.names != kNoNode || !rules.patterns.empty();
    if (rules.slots.empty() && !looks_at_each) return true;
    bool ok = true;
    std::size_t required = 0;
    std::size_t hint = 0;
    std::size_t place = 0;
    if (!spend(object.size() / 4)) return false;
    for (const auto& member : object) {
        const Slot* slot = rules.find(member.first, hint);
        if (slot && slot->required) ++required;
        if ((slot || looks_at_each) && !check_member(id, rules, at, place, member, slot)) {
            ok = false;
            if (!curious()) return false;
        }
        ++place;
    }
    if (required < rules.required && !report_missing(id, rules, at)) ok = false;
    return ok;
}

bool Evaluator::check_member(NodeId id, const ObjectRules& rules, const At& at, std::size_t place,
                             const JsonObject::Member& member, const Slot* slot) {
    const auto& [name, value] = member;
    const Path path{at.path, name};
    bool ok = rules.names == kNoNode || check_name(id, rules, at, name);
    bool known = false;
    if (slot && slot->node != kNoNode) {
        known = true;
        if (!apply(slot->node, At{value, &path, nullptr})) ok = false;
    }
    for (const auto& [pattern, node] : rules.patterns) {
        if (!spend(pattern->cost(name.size()))) return false;
        if (!pattern->found_in(name)) continue;
        known = true;
        if (!apply(node, At{value, &path, nullptr})) ok = false;
    }
    if (!known && rules.additional != kNoNode) {
        known = true;
        if (program_.nodes[rules.additional].never) {
            ok = refuse(id, "additionalProperties", &path, "is a property the schema does not allow");
        } else if (!apply(rules.additional, At{value, &path, nullptr})) {
            ok = false;
        }
    }
    if (known && at.evaluated) at.evaluated->places.set(place);
    return ok;
}

bool Evaluator::check_name(NodeId id, const ObjectRules& rules, const At& at, const std::string& name) {
    const Path path{at.path, name};
    const Json text(name);
    if (accepts(rules.names, At{text, &path, nullptr})) return true;
    return refuse(id, "propertyNames", &path, "has a name the schema does not allow");
}

bool Evaluator::report_missing(NodeId id, const ObjectRules& rules, const At& at) {
    const JsonObject& object = *at.value.if_object();
    for (const Slot& slot : rules.slots) {
        if (!curious()) return false;
        if (!slot.required) continue;
        if (!spend(1)) return false;
        if (!object.contains(slot.name)) {
            refuse(id, "required", at.path, "must have the property " + quoted_name(slot.name));
        }
    }
    return false;
}

bool Evaluator::check_dependent_names(NodeId id, const ObjectRules& rules, const At& at) {
    const JsonObject& object = *at.value.if_object();
    bool ok = true;
    for (const auto& [trigger, names, keyword] : rules.dependent_names) {
        if (!spend(1)) return false;
        if (!object.contains(trigger)) continue;
        for (const std::string& name : names) {
            if (!spend(1)) return false;
            if (object.contains(name)) continue;
            ok = refuse(id, keyword, at.path,
                        "must have the property " + quoted_name(name) + " because it has " + quoted_name(trigger));
            if (!curious()) return false;
        }
    }
    return ok;
}

bool Evaluator::check_unevaluated_properties(NodeId id, NodeId rest, const At& at) {
    if (!spend(at.value.if_object()->size() / 8)) return false;
    bool ok = true;
    std::size_t place = 0;
    for (const auto& [name, value] : *at.value.if_object()) {
        if (at.evaluated->has(place++)) continue;
        const Path path{at.path, name};
        const bool accepted = program_.nodes[rest].never ? refuse(id, "unevaluatedProperties", &path,
                                                                  "is a property the schema does not provide for")
                                                         : apply(rest, At{value, &path, nullptr});
        if (accepted) continue;
        ok = false;
        if (!curious()) return false;
    }
    at.evaluated->all = true;
    return ok;
}

}  // namespace gantry::schema
