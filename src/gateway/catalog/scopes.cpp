#include <algorithm>

#include "gateway/catalog/impl.hpp"
#include "gateway/catalog/names.hpp"
#include "gateway/policy/glob.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

bool Scope::has_shelf(std::uint32_t shelf) const noexcept {
    return std::ranges::binary_search(shelves, shelf);
}

Catalog::Impl::Impl(std::vector<Shelf> shelves, std::vector<GroupSpec> groups, const CatalogRules& rules,
                    NameBook& names)
    : shelves_(std::move(shelves)), rules_(rules), self_text_(mcp::encode(rules.self, mcp::kLatestRevision).dump()) {
    rules_.page_size = std::max<std::size_t>(rules_.page_size, 1);
    for (Shelf& shelf : shelves_) {
        if (shelf.inventory == nullptr) shelf.inventory = std::make_shared<const Inventory>();
    }
    ProblemList problems;
    stock_ = stock_shelves(shelves_, rules_, names, problems);

    has_renamed_uris_.resize(shelves_.size());
    for (const auto kind : {ItemKind::kResource, ItemKind::kTemplate}) {
        for (const Entry& entry : entries(kind)) {
            if (!entry.hidden && entry.renamed()) has_renamed_uris_[entry.shelf] = true;
        }
    }
    // Reserved, because indexes hold views of the names inside.
    scopes_.reserve(1 + shelves_.size() + groups.size());
    Scope all;
    for (std::uint32_t s = 0; s < shelves_.size(); ++s) all.shelves.push_back(s);
    add_scope(std::move(all));
    for (std::uint32_t s = 0; s < shelves_.size(); ++s) {
        const Shelf& shelf = shelves_[s];
        permitted_.push_back({.allow = shelf.allow, .deny = shelf.deny});
        shelf_by_name_.emplace(shelf.source_name, s);
        shelf_by_tag_.emplace(uri_tag(shelf.source_name), s);
        Scope scope{.kind = Scope::Kind::kServer, .name = "servers/" + shelf.source_name};
        scope.shelves.push_back(s);
        add_scope(std::move(scope));
    }
    for (const GroupSpec& group : groups) add_scope(group_scope(group, problems));
    problems_ = std::move(problems).take();
}

LeftOut Catalog::Impl::left_out(std::string_view source) const {
    const auto shelf = shelf_by_name_.find(source);
    return shelf == shelf_by_name_.end() ? LeftOut{} : stock_.left_out[shelf->second];
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
        if (const auto found = shelf_by_name_.find(server); found != shelf_by_name_.end()) {
            scope.shelves.push_back(found->second);
        } else {
            problems.add("", "group '" + group.name + "' names server '" + server + "', which does not exist");
        }
    }
    std::ranges::sort(scope.shelves);
    if (group.tools.empty()) return scope;
    const auto& tools = entries(ItemKind::kTool);
    scope.tools.resize(tools.size());
    for (std::size_t e = 0; e < tools.size(); ++e) {
        scope.tools[e] = std::ranges::any_of(
            group.tools, [&](const std::string& pattern) { return glob_match(pattern, tools[e].name); });
    }
    return scope;
}

bool Catalog::Impl::offers(std::uint32_t shelf, ItemKind kind) const {
    const auto& declared = shelves_[shelf].inventory->capabilities;
    switch (kind) {
        case ItemKind::kTool: return declared.tools.has_value();
        case ItemKind::kPrompt: return declared.prompts.has_value();
        case ItemKind::kResource:
        case ItemKind::kTemplate: return declared.resources.has_value();
    }
    return false;
}

bool Catalog::Impl::draws_on(const Scope& scope, ItemKind kind, std::string_view source) const {
    const auto shelf = shelf_by_name_.find(source);
    return shelf != shelf_by_name_.end() && std::ranges::binary_search(scope.lineup(kind).parts, shelf->second);
}

void Catalog::Impl::line_up(Scope& scope) const {
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        const auto kind = static_cast<ItemKind>(k);
        const auto& all = entries(kind);
        Lineup& lineup = scope.lineups[k];
        if (scope.kind == Scope::Kind::kServer) {
            for (const auto& [own, e] : stock_.by_own[scope.shelves.front()][k]) lineup.order.push_back(e);
        } else if (scope.kind == Scope::Kind::kAll) {
            for (std::uint32_t e = 0; e < all.size(); ++e) {
                if (!all[e].hidden) lineup.order.push_back(e);
            }
        } else {
            for (const std::uint32_t e : scopes_.front().lineups[k].order) {
                if (scope.has(kind, e, all[e])) lineup.order.push_back(e);
            }
        }
        if (scope.kind == Scope::Kind::kServer) {
            std::ranges::sort(lineup.order);  // entries of a shelf are in the server's own order
        } else if (scope.kind == Scope::Kind::kAll) {
            std::ranges::sort(lineup.order, {}, [&](std::uint32_t e) { return name_in(scope, all[e]); });
        }
        const auto for_modern = [&all](std::uint32_t e) { return all[e].for_modern; };
        if (!std::ranges::all_of(lineup.order, for_modern)) {
            lineup.modern_differs = true;
            std::ranges::copy_if(lineup.order, std::back_inserter(lineup.modern_order), for_modern);
        }
        for (const std::uint32_t shelf : scope.shelves) {
            if (offers(shelf, kind)) lineup.parts.push_back(shelf);
        }
        for (const std::uint32_t e : lineup.order) {
            if (lineup.parts.empty() || lineup.parts.back() != all[e].shelf) lineup.parts.push_back(all[e].shelf);
        }
        std::ranges::sort(lineup.parts);
        const auto repeated = std::ranges::unique(lineup.parts);
        lineup.parts.erase(repeated.begin(), repeated.end());
    }
}

}  // namespace gantry::gateway
