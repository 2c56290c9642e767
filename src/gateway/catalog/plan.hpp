#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/stable_hash.hpp"
#include "gateway/policy/rules.hpp"

namespace gantry::gateway {

/// What a configuration says about the catalog: its sources with their numbers, its groups and its rules. Immutable,
/// and shared by all catalogs built for that configuration.
class CatalogPlan {
public:
    CatalogPlan(std::vector<PlannedSource> sources, std::vector<GroupSpec> groups, CatalogRules rules);
    CatalogPlan(const CatalogPlan&) = delete;
    CatalogPlan& operator=(const CatalogPlan&) = delete;

    const std::vector<PlannedSource>& sources() const noexcept { return sources_; }
    const std::vector<GroupSpec>& groups() const noexcept { return groups_; }
    const CatalogRules& rules() const noexcept { return rules_; }
    /// The JSON of `serverInfo`.
    const std::string& self_text() const noexcept { return self_text_; }

    std::optional<SourceNumber> source_named(std::string_view name) const;
    std::optional<SourceNumber> source_tagged(std::string_view uri_tag) const;
    bool permits(SourceNumber source, std::string_view own_name) const noexcept {
        return gateway::permits(permitted_[source], own_name);
    }

    /// "", "servers/NAME" by number, "groups/NAME" in the order of the configuration.
    const std::vector<std::string>& scopes() const noexcept { return scopes_; }
    std::optional<std::uint32_t> scope_named(std::string_view name) const;

private:
    using Index = std::unordered_map<std::string, std::uint32_t, NameHash, std::equal_to<>>;
    static std::optional<std::uint32_t> look_up(const Index& index, std::string_view name);

    std::vector<PlannedSource> sources_;
    std::vector<GroupSpec> groups_;
    CatalogRules rules_;
    std::string self_text_;
    std::vector<Rules> permitted_;
    std::vector<std::string> scopes_;
    Index by_name_;
    Index by_tag_;
    Index by_scope_;
};

}  // namespace gantry::gateway
