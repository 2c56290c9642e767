#include "gateway/policy/approval_rules.hpp"

#include <algorithm>

#include "gateway/policy/glob.hpp"

namespace gantry::gateway {
namespace {

bool any_fits(const std::vector<std::string>& patterns, std::string_view text) noexcept {
    return std::ranges::any_of(patterns, [text](const std::string& pattern) { return glob_match(pattern, text); });
}

bool contains(const std::vector<std::string>& names, std::string_view name) noexcept {
    return std::ranges::find(names, name) != names.end();
}

bool in_a_group(const std::vector<std::string>& wanted, const std::vector<GroupSpec>& groups, std::string_view source,
                std::string_view public_name) noexcept {
    return std::ranges::any_of(groups, [&](const GroupSpec& group) {
        return contains(wanted, group.name) && (contains(group.servers, source) || any_fits(group.tools, public_name));
    });
}

bool fits(const ApprovalRule& rule, const std::vector<GroupSpec>& groups, std::string_view source, const Item& tool,
          std::string_view public_name) noexcept {
    if (rule.tools.empty() && rule.servers.empty() && rule.groups.empty() && !rule.destructive) return false;
    if (!rule.tools.empty() && !any_fits(rule.tools, tool.name)) return false;
    if (!rule.servers.empty() && !any_fits(rule.servers, source)) return false;
    if (!rule.groups.empty() && !in_a_group(rule.groups, groups, source, public_name)) return false;
    return !rule.destructive || (tool.hints.destructive && !tool.hints.read_only);
}

}  // namespace

bool needs_approval(const ApprovalOptions& options, const std::vector<GroupSpec>& groups, std::string_view source,
                    const Item& tool, std::string_view public_name) noexcept {
    bool always = false;
    bool never = false;
    for (const ApprovalRule& rule : options.rules) {
        if (!fits(rule, groups, source, tool, public_name)) continue;
        (rule.says == ApprovalRule::Says::kAlways ? always : never) = true;
    }
    return always && !(never && options.never_wins);
}

std::vector<ApprovalRule> rules_of(const McpServerSpec& server) {
    std::vector<ApprovalRule> rules;
    const auto& [always, never] = server.require_approval;
    if (!always.empty())
        rules.push_back({.says = ApprovalRule::Says::kAlways, .tools = always, .servers = {server.name}});
    if (!never.empty()) rules.push_back({.says = ApprovalRule::Says::kNever, .tools = never, .servers = {server.name}});
    return rules;
}

}  // namespace gantry::gateway
