#include "gateway/registry/pattern_warnings.hpp"

#include <algorithm>

#include "gantry/json.hpp"
#include "gateway/policy/glob.hpp"

namespace gantry::gateway {
namespace {

/// A warning is not worth more comparisons than this.
constexpr std::size_t kMostComparisons = 1'000'000;
constexpr std::size_t kMostWarnings = 50;
constexpr std::size_t kLargestList = 8u << 20;

bool is_known(const Source& source) {
    return source.state() == SourceState::kReady || source.state() == SourceState::kAsleep;
}

void check_patterns(const Registered& entry, const std::vector<std::string>& patterns, const char* key,
                    std::vector<std::string>& warnings) {
    const auto inventory = entry.source->inventory();
    if (patterns.size() * inventory->items.size() > kMostComparisons) return;
    for (const std::string& pattern : patterns) {
        const bool matches = std::ranges::any_of(
            inventory->items, [&pattern](const auto& item) { return glob_match(pattern, item->name); });
        if (matches) continue;
        warnings.push_back("server '" + entry.source->name() + "': " + key + " pattern '" + pattern +
                           "' matches nothing it offers");
    }
}

std::vector<std::string> public_tools(const Registry& registry) {
    std::vector<std::string> names;
    const auto text = registry.catalog()->plain_tools("");
    if (text->size() > kLargestList) return names;
    const auto list = Json::parse(*text);
    const Json* const tools = list ? list->find("tools") : nullptr;
    if (tools == nullptr || !tools->is_array()) return names;
    for (const Json& tool : *tools->if_array()) names.emplace_back(tool.string_at("name"));
    return names;
}

void check_groups(const Registry& registry, const std::vector<GroupSpec>& groups, std::vector<std::string>& warnings) {
    const bool has_patterns = std::ranges::any_of(groups, [](const auto& group) { return !group.tools.empty(); });
    const bool all_known =
        std::ranges::all_of(registry.sources(), [](const auto& entry) { return is_known(*entry.source); });
    if (!has_patterns || !all_known) return;
    const std::vector<std::string> names = public_tools(registry);
    for (const GroupSpec& group : groups) {
        if (group.tools.size() * names.size() > kMostComparisons) continue;
        for (const std::string& pattern : group.tools) {
            const bool matches =
                std::ranges::any_of(names, [&pattern](const std::string& name) { return glob_match(pattern, name); });
            if (!matches) warnings.push_back("group '" + group.name + "': pattern '" + pattern + "' matches no tool");
        }
    }
}

}  // namespace

std::vector<std::string> pattern_warnings(const Registry& registry, const std::vector<GroupSpec>& groups) {
    std::vector<std::string> warnings;
    for (const Registered& entry : registry.sources()) {
        if (!is_known(*entry.source)) continue;
        check_patterns(entry, entry.allow, "allow", warnings);
        check_patterns(entry, entry.deny, "deny", warnings);
    }
    check_groups(registry, groups, warnings);
    if (warnings.size() > kMostWarnings) {
        const std::size_t more = warnings.size() - kMostWarnings;
        warnings.resize(kMostWarnings);
        warnings.push_back("… and " + std::to_string(more) + " more patterns that match nothing");
    }
    return warnings;
}

}  // namespace gantry::gateway
