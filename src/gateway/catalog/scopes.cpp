#include <algorithm>
#include <numeric>

#include "gateway/catalog/scope.hpp"
#include "gateway/catalog/stable_hash.hpp"
#include "gateway/policy/glob.hpp"

namespace gantry::gateway {
namespace {

constexpr std::uint64_t kEmptyDigest = 0x6761'6E74'7279'0001;

Scope group_scope(const CatalogPlan& plan, const GroupSpec& group, const EntryTable& tools, ProblemList& problems) {
    Scope scope{.kind = Scope::Kind::kGroup};
    for (const std::string& server : group.servers) {
        if (const auto found = plan.source_named(server)) {
            scope.sources.push_back(*found);
        } else {
            problems.add("", "group '" + group.name + "' names server '" + server + "', which does not exist");
        }
    }
    std::ranges::sort(scope.sources);
    scope.has_patterns = !group.tools.empty();
    if (!scope.has_patterns) return scope;
    scope.tools.resize(tools.entries.size());
    for (std::size_t e = 0; e < tools.entries.size(); ++e) scope.tools[e] = selects_tool(group, tools.entries[e]->name);
    return scope;
}

/// `all`: the scope of everything, once it is complete.
void line_up(Scope& scope, const std::vector<InventoryPtr>& inventories, const EntryTables& tables, const Scope* all) {
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        const auto kind = static_cast<ItemKind>(k);
        const EntryTable& table = tables[k];
        auto listing = std::make_shared<ScopeListing>();
        auto& order = listing->order;
        if (scope.kind == Scope::Kind::kServer) {
            order = table.of(scope.sources.front());
        } else if (all == nullptr) {
            for (std::uint32_t e = 0; e < table.entries.size(); ++e) {
                if (!table.entries[e]->hidden) order.push_back(e);
            }
            std::ranges::sort(order, {}, [&](std::uint32_t e) { return std::string_view(table.entries[e]->name); });
        } else {
            for (const std::uint32_t e : all->listing(kind).order) {
                if (scope.has(kind, e, *table.entries[e])) order.push_back(e);
            }
        }
        find_parts(scope, kind, inventories, table, *listing);
        finish_listing(scope, table, *listing);
        scope.listings[k] = std::move(listing);
    }
}

}  // namespace

bool Scope::has_source(SourceNumber source) const noexcept {
    return std::ranges::binary_search(sources, source);
}

bool selects_tool(const GroupSpec& group, std::string_view public_name) noexcept {
    return std::ranges::any_of(group.tools,
                               [&](const std::string& pattern) { return glob_match(pattern, public_name); });
}

bool declares(const Inventory& inventory, ItemKind kind) noexcept {
    const auto& declared = inventory.capabilities;
    switch (kind) {
        case ItemKind::kTool: return declared.tools.has_value();
        case ItemKind::kPrompt: return declared.prompts.has_value();
        case ItemKind::kResource:
        case ItemKind::kTemplate: return declared.resources.has_value();
    }
    return false;
}

void find_parts(const Scope& scope, ItemKind kind, const std::vector<InventoryPtr>& inventories,
                const EntryTable& table, ScopeListing& listing) {
    for (const SourceNumber source : scope.sources) {
        if (declares(*inventories[source], kind)) listing.parts.push_back(source);
    }
    for (const std::uint32_t e : listing.order) {
        const SourceNumber source = table.entries[e]->source;
        if (listing.parts.empty() || listing.parts.back() != source) listing.parts.push_back(source);
    }
    std::ranges::sort(listing.parts);
    const auto repeated = std::ranges::unique(listing.parts);
    listing.parts.erase(repeated.begin(), repeated.end());
}

void finish_listing(const Scope& scope, const EntryTable& table, ScopeListing& listing) {
    const auto for_modern = [&table](std::uint32_t e) { return table.entries[e]->for_modern; };
    if (!std::ranges::all_of(listing.order, for_modern)) {
        listing.modern_differs = true;
        std::ranges::copy_if(listing.order, std::back_inserter(listing.modern_order), for_modern);
    }
    listing.digest = kEmptyDigest;
    for (const std::uint32_t e : listing.order) {
        const Entry& entry = *table.entries[e];
        // A server's own order is part of its list; the other lists are sorted, so a sum tells them apart.
        if (scope.kind == Scope::Kind::kServer) {
            listing.digest = listing.digest * 0x9E37'79B9'7F4A'7C15 + entry.definition_digest;
        } else {
            listing.digest += entry.public_digest;
        }
    }
}

std::vector<Scope> make_scopes(const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories,
                               const EntryTables& tables, ProblemList& problems) {
    std::vector<Scope> scopes;
    scopes.reserve(plan.scopes().size());
    const auto add = [&](Scope scope) {
        line_up(scope, inventories, tables, scopes.empty() ? nullptr : &scopes.front());
        scopes.push_back(std::move(scope));
    };
    Scope all;
    all.sources.resize(plan.sources().size());
    std::iota(all.sources.begin(), all.sources.end(), 0u);
    add(std::move(all));
    // Names are unique, so scopes.size() is the number under which the plan knows the next one.
    const auto is_next = [&](const std::string& name) { return plan.scope_named(name) == scopes.size(); };
    for (SourceNumber s = 0; s < plan.sources().size(); ++s) {
        if (is_next("servers/" + plan.sources()[s].name)) add({.kind = Scope::Kind::kServer, .sources = {s}});
    }
    const EntryTable& tools = tables[static_cast<std::size_t>(ItemKind::kTool)];
    for (const GroupSpec& group : plan.groups()) {
        if (is_next("groups/" + group.name)) add(group_scope(plan, group, tools, problems));
    }
    return scopes;
}

}  // namespace gantry::gateway
