#include <algorithm>

#include "gateway/catalog/impl.hpp"
#include "gateway/catalog/names.hpp"
#include "gateway/policy/glob.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

bool Scope::has_source(std::uint32_t source) const noexcept {
    return std::ranges::binary_search(sources, source);
}

Catalog::Impl::Impl(std::vector<SourceEntry> sources, std::vector<GroupSpec> groups, const CatalogRules& rules,
                    NameBook& names)
    : sources_(std::move(sources)), rules_(rules), self_text_(mcp::encode(rules.self, mcp::kLatestRevision).dump()) {
    rules_.page_size = std::max<std::size_t>(rules_.page_size, 1);
    for (SourceEntry& source : sources_) {
        if (source.inventory == nullptr) source.inventory = std::make_shared<const Inventory>();
    }
    ProblemList problems;
    stock_ = build_entries(sources_, rules_, names, problems);

    has_renamed_uris_.resize(sources_.size());
    for (const auto kind : {ItemKind::kResource, ItemKind::kTemplate}) {
        for (const Entry& entry : entries(kind)) {
            if (!entry.hidden && entry.renamed()) has_renamed_uris_[entry.source] = true;
        }
    }
    // Reserved, because indexes hold views of the names inside.
    scopes_.reserve(1 + sources_.size() + groups.size());
    Scope all;
    for (std::uint32_t s = 0; s < sources_.size(); ++s) all.sources.push_back(s);
    add_scope(std::move(all));
    for (std::uint32_t s = 0; s < sources_.size(); ++s) {
        const SourceEntry& source = sources_[s];
        permitted_.push_back({.allow = source.allow, .deny = source.deny});
        source_by_name_.emplace(source.source_name, s);
        source_by_tag_.emplace(uri_tag(source.source_name), s);
        Scope scope{.kind = Scope::Kind::kServer, .name = "servers/" + source.source_name};
        scope.sources.push_back(s);
        add_scope(std::move(scope));
    }
    for (const GroupSpec& group : groups) add_scope(group_scope(group, problems));
    problems_ = std::move(problems).take();
}

LeftOut Catalog::Impl::left_out(std::string_view source) const {
    const auto found = source_by_name_.find(source);
    return found == source_by_name_.end() ? LeftOut{} : stock_.left_out[found->second];
}

const Scope* Catalog::Impl::scope(std::string_view name) const {
    const auto found = scope_by_name_.find(name);
    return found == scope_by_name_.end() ? nullptr : &scopes_[found->second];
}

void Catalog::Impl::add_scope(Scope scope) {
    if (scope_by_name_.contains(scope.name)) return;
    line_up(scope);
    scopes_.push_back(std::move(scope));
    scope_by_name_.emplace(scopes_.back().name, static_cast<std::uint32_t>(scopes_.size() - 1));
}

Scope Catalog::Impl::group_scope(const GroupSpec& group, ProblemList& problems) const {
    Scope scope{.kind = Scope::Kind::kGroup, .name = "groups/" + group.name};
    for (const std::string& server : group.servers) {
        if (const auto found = source_by_name_.find(server); found != source_by_name_.end()) {
            scope.sources.push_back(found->second);
        } else {
            problems.add("", "group '" + group.name + "' names server '" + server + "', which does not exist");
        }
    }
    std::ranges::sort(scope.sources);
    if (group.tools.empty()) return scope;
    const auto& tools = entries(ItemKind::kTool);
    scope.tools.resize(tools.size());
    for (std::size_t e = 0; e < tools.size(); ++e) {
        scope.tools[e] = std::ranges::any_of(
            group.tools, [&](const std::string& pattern) { return glob_match(pattern, tools[e].name); });
    }
    return scope;
}

bool Catalog::Impl::offers(std::uint32_t source, ItemKind kind) const {
    const auto& declared = sources_[source].inventory->capabilities;
    switch (kind) {
        case ItemKind::kTool: return declared.tools.has_value();
        case ItemKind::kPrompt: return declared.prompts.has_value();
        case ItemKind::kResource:
        case ItemKind::kTemplate: return declared.resources.has_value();
    }
    return false;
}

bool Catalog::Impl::draws_on(const Scope& scope, ItemKind kind, std::string_view source) const {
    const auto found = source_by_name_.find(source);
    return found != source_by_name_.end() && std::ranges::binary_search(scope.listing(kind).parts, found->second);
}

void Catalog::Impl::line_up(Scope& scope) const {
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        const auto kind = static_cast<ItemKind>(k);
        const auto& all = entries(kind);
        ScopeListing& listing = scope.listings[k];
        if (scope.kind == Scope::Kind::kServer) {
            for (const auto& [own, e] : stock_.by_own[scope.sources.front()][k]) listing.order.push_back(e);
        } else if (scope.kind == Scope::Kind::kAll) {
            for (std::uint32_t e = 0; e < all.size(); ++e) {
                if (!all[e].hidden) listing.order.push_back(e);
            }
        } else {
            for (const std::uint32_t e : scopes_.front().listings[k].order) {
                if (scope.has(kind, e, all[e])) listing.order.push_back(e);
            }
        }
        if (scope.kind == Scope::Kind::kServer) {
            std::ranges::sort(listing.order);  // entries of a source are in the server's own order
        } else if (scope.kind == Scope::Kind::kAll) {
            std::ranges::sort(listing.order, {}, [&](std::uint32_t e) { return name_in(scope, all[e]); });
        }
        const auto for_modern = [&all](std::uint32_t e) { return all[e].for_modern; };
        if (!std::ranges::all_of(listing.order, for_modern)) {
            listing.modern_differs = true;
            std::ranges::copy_if(listing.order, std::back_inserter(listing.modern_order), for_modern);
        }
        for (const std::uint32_t source : scope.sources) {
            if (offers(source, kind)) listing.parts.push_back(source);
        }
        for (const std::uint32_t e : listing.order) {
            if (listing.parts.empty() || listing.parts.back() != all[e].source) listing.parts.push_back(all[e].source);
        }
        std::ranges::sort(listing.parts);
        const auto repeated = std::ranges::unique(listing.parts);
        listing.parts.erase(repeated.begin(), repeated.end());
    }
}

}  // namespace gantry::gateway
