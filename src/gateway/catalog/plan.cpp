#include "gateway/catalog/plan.hpp"

#include <algorithm>

#include "gateway/catalog/names.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

CatalogPlan::CatalogPlan(std::vector<PlannedSource> sources, std::vector<GroupSpec> groups, CatalogRules rules)
    : sources_(std::move(sources)),
      groups_(std::move(groups)),
      rules_(std::move(rules)),
      self_text_(mcp::encode(rules_.self, mcp::kLatestRevision).dump()) {
    rules_.page_size = std::max<std::size_t>(rules_.page_size, 1);
    const auto add_scope = [this](std::string name) {
        if (by_scope_.emplace(name, static_cast<std::uint32_t>(scopes_.size())).second)
            scopes_.push_back(std::move(name));
    };
    add_scope("");
    for (SourceNumber s = 0; s < sources_.size(); ++s) {
        const PlannedSource& source = sources_[s];
        permitted_.push_back({.allow = source.allow, .deny = source.deny});
        by_name_.emplace(source.name, s);
        by_tag_.emplace(uri_tag(source.name), s);
        add_scope("servers/" + source.name);
    }
    for (const GroupSpec& group : groups_) add_scope("groups/" + group.name);
}

std::optional<std::uint32_t> CatalogPlan::look_up(const Index& index, std::string_view name) {
    const auto found = index.find(name);
    return found == index.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SourceNumber> CatalogPlan::source_named(std::string_view name) const {
    return look_up(by_name_, name);
}

std::optional<SourceNumber> CatalogPlan::source_tagged(std::string_view uri_tag) const {
    return look_up(by_tag_, uri_tag);
}

std::optional<std::uint32_t> CatalogPlan::scope_named(std::string_view name) const {
    return look_up(by_scope_, name);
}

}  // namespace gantry::gateway
