#include "gateway/policy/rules.hpp"

#include <algorithm>

#include "gateway/policy/glob.hpp"

namespace gantry::gateway {

namespace {

bool any_matches(const std::vector<std::string>& patterns, std::string_view name) noexcept {
    return std::ranges::any_of(patterns, [name](const std::string& pattern) { return glob_match(pattern, name); });
}

}  // namespace

bool permits(const Rules& rules, std::string_view own_name) noexcept {
    if (any_matches(rules.deny, own_name)) return false;
    return rules.allow.empty() || any_matches(rules.allow, own_name);
}

bool StaticPolicy::permits(const Principal&, const Item* item, std::string_view source,
                           std::string_view own_name) const {
    const auto rules = by_source_.find(source);
    if (rules == by_source_.end()) return true;
    if (item == nullptr && own_name.empty()) return true;
    // A URI must be permitted itself, even where a template of the source covers it.
    if (!own_name.empty() && !gateway::permits(rules->second, own_name)) return false;
    return item == nullptr || gateway::permits(rules->second, item->name);
}

}  // namespace gantry::gateway
