#include "gateway/catalog/update.hpp"

#include <algorithm>

namespace gantry::gateway {

std::unique_ptr<const Catalog::Impl> CatalogUpdate::run(const Catalog::Impl& before,
                                                        const std::vector<InventoryPtr>& now, NameBook& names) {
    CatalogUpdate update(before, now, names);
    if (!update.is_possible() || !update.match_sources() || !update.within_limits() || !update.name_added())
        return nullptr;
    update.find_places();
    auto made = std::make_unique<Catalog::Impl>();
    made->tables_ = update.make_tables();
    made->scopes_ = update.make_scopes(made->tables_);
    made->plan_ = before.plan_;
    made->inventories_ = now;
    made->left_out_ = before.left_out_;
    made->problems_ = before.problems_;
    made->note_renamed_uris();
    names.end_round();
    return made;
}

CatalogUpdate::CatalogUpdate(const Catalog::Impl& before, const std::vector<InventoryPtr>& now, NameBook& names)
    : before_(before), plan_(*before.plan_), now_(now), names_(names) {
    for (SourceNumber s = 0; s < now.size(); ++s) {
        if (now[s] != before.inventories_[s]) changed_.push_back(s);
    }
    for (const SourceNumber s : changed_) {
        const Inventory& was = *before.inventories_[s];
        other_promises_ = other_promises_ || was.ttl_ms != now[s]->ttl_ms || was.is_public != now[s]->is_public ||
                          before.has_renamed_uris_[s];
    }
}

bool CatalogUpdate::is_possible() const {
    // An item without a name, or beyond a limit, may get its turn when another one goes.
    if (before_.any_hidden_) return false;
    for (const LeftOut& left_out : before_.left_out_) {
        if (left_out != LeftOut{}) return false;
    }
    return std::ranges::all_of(changed_, [this](SourceNumber s) {
        const auto same_source = [&](const CatalogProblem& problem) {
            return problem.source == plan_.sources()[s].name;
        };
        return before_.inventories_[s]->capabilities == now_[s]->capabilities &&
               std::ranges::none_of(before_.problems_, same_source);
    });
}

bool CatalogUpdate::match_sources() {
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        const EntryTable& old = before_.tables_[k];
        kinds_[k].entries.reserve(old.entries.size() + 16);
        kinds_[k].moved_to.assign(old.entries.size(), kGone);
    }
    auto next = changed_.begin();
    for (SourceNumber s = 0; s < now_.size(); ++s) {
        for (Kind& kind : kinds_) kind.begin.push_back(static_cast<std::uint32_t>(kind.entries.size()));
        if (next == changed_.end() || *next != s) {
            keep(s);
        } else if (++next; !match(s)) {
            return false;
        }
    }
    for (Kind& kind : kinds_) kind.begin.push_back(static_cast<std::uint32_t>(kind.entries.size()));
    return true;
}

void CatalogUpdate::keep(SourceNumber source) {
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        const EntryTable& old = before_.tables_[k];
        for (std::uint32_t e = old.begin[source]; e < old.begin[source + 1]; ++e) {
            kinds_[k].moved_to[e] = static_cast<std::uint32_t>(kinds_[k].entries.size());
            kinds_[k].entries.push_back(old.entries[e]);
        }
    }
}

bool CatalogUpdate::match(SourceNumber source) {
    // The old entry expected next: lists mostly stay in their order.
    std::array<std::uint32_t, kItemKinds> cursor{};
    for (std::size_t k = 0; k < kItemKinds; ++k) cursor[k] = before_.tables_[k].begin[source];
    return std::ranges::all_of(now_[source]->items, [&](const ItemPtr& item) { return take(source, item, cursor); });
}

bool CatalogUpdate::take(SourceNumber source, const ItemPtr& item, std::array<std::uint32_t, kItemKinds>& cursor) {
    const auto k = static_cast<std::size_t>(item->kind);
    const EntryTable& old = before_.tables_[k];
    Kind& kind = kinds_[k];
    const auto place = static_cast<std::uint32_t>(kind.entries.size());
    std::optional<std::uint32_t> e = cursor[k];
    if (*e >= old.begin[source + 1] || old.entries[*e]->item != item) {
        e = old.own(source, item->name);
        if (!e && !plan_.permits(source, item->name)) return true;
    }
    if (e) {
        if (kind.moved_to[*e] != kGone) return false;  // listed twice
        kind.moved_to[*e] = place;
        cursor[k] = *e + 1;
        if (old.entries[*e]->item == item) {
            kind.entries.push_back(old.entries[*e]);
            return true;
        }
    }
    std::string fault;
    auto entry = make_entry(item, source, fault);
    if (!entry || !fault.empty()) return false;
    if (e) {
        entry->set_name(old.entries[*e]->name);
    } else {
        kind.added.push_back(place);
    }
    kind.touched = true;
    kind.made.push_back(entry);
    kind.entries.push_back(std::move(entry));
    return true;
}

bool CatalogUpdate::within_limits() const {
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        const CatalogRules& rules = plan_.rules();
        const std::size_t most = static_cast<ItemKind>(k) == ItemKind::kTool ? rules.max_tools : rules.max_others;
        if (kinds_[k].entries.size() > most) return false;
    }
    return true;
}

bool CatalogUpdate::name_added() {
    for (Kind& kind : kinds_) {
        std::vector<std::string_view> given;
        for (const auto& entry : kind.made) {
            if (entry->name.empty() && !name(kind, *entry, given)) return false;
        }
    }
    return true;
}

bool CatalogUpdate::name(Kind& kind, Entry& entry, std::vector<std::string_view>& given) {
    const ItemKind item_kind = entry.item->kind;
    const std::string& source = plan_.sources()[entry.source].name;
    std::string wanted = wanted_name(plan_, entry);
    const std::string* known = names_.given(item_kind, source, entry.item->name, wanted);
    const std::string& name = known != nullptr ? *known : wanted;
    const EntryTable& old = before_.tables_[static_cast<std::size_t>(item_kind)];
    if (const auto holder = old.named(name); holder && kind.moved_to[*holder] != kGone) return false;
    if (std::ranges::find(given, name) != given.end()) return false;
    if (known == nullptr) {
        // A source that is merely down keeps its names.
        const std::string_view had = names_.holder(item_kind, name);
        const auto number = had.empty() || had == source ? std::nullopt : plan_.source_named(had);
        if (number && now_[*number]->items.empty()) return false;
    }
    entry.set_name(name);
    if (known == nullptr) names_.give(item_kind, source, entry.item->name, std::move(wanted), entry.name);
    given.push_back(entry.name);
    return true;
}

void CatalogUpdate::find_places() {
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        Kind& kind = kinds_[k];
        kind.same_places = kind.added.empty();
        for (std::uint32_t e = 0; e < kind.moved_to.size() && kind.same_places; ++e)
            kind.same_places = kind.moved_to[e] == e;
        kind.touched = kind.touched || !kind.same_places;
    }
}

EntryTables CatalogUpdate::make_tables() {
    EntryTables tables;
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        const EntryTable& old = before_.tables_[k];
        EntryTable& table = tables[k];
        table.entries = std::move(kinds_[k].entries);
        table.begin = std::move(kinds_[k].begin);
        if (kinds_[k].same_places) {
            table.by_name = old.by_name;
            table.by_own = old.by_own;
        } else {
            table.index();
        }
    }
    return tables;
}

std::vector<Scope> CatalogUpdate::make_scopes(const EntryTables& tables) const {
    std::vector<Scope> scopes;
    scopes.reserve(before_.scopes_.size());
    const EntryTable& tools = tables[static_cast<std::size_t>(ItemKind::kTool)];
    for (const Scope& old : before_.scopes_) {
        const GroupSpec* group = nullptr;
        if (old.has_patterns) {
            const std::string& name = plan_.scopes()[scopes.size()];
            group = &*std::ranges::find_if(plan_.groups(),
                                           [&](const GroupSpec& one) { return "groups/" + one.name == name; });
        }
        Scope scope{.kind = old.kind,
                    .sources = old.sources,
                    .has_patterns = old.has_patterns,
                    .tools = moved_tools(old, group, tools)};
        for (std::size_t k = 0; k < kItemKinds; ++k) {
            const bool stays = kinds_[k].same_places && !concerns(old, k);
            scope.listings[k] = stays ? old.listings[k] : nullptr;
        }
        for (std::size_t k = 0; k < kItemKinds; ++k) {
            if (scope.listings[k]) continue;
            // make_listing() reads the old order through the old listing.
            scope.listings[k] = old.listings[k];
            scope.listings[k] = make_listing(scope, k, tables[k]);
        }
        scopes.push_back(std::move(scope));
    }
    return scopes;
}

std::vector<bool> CatalogUpdate::moved_tools(const Scope& scope, const GroupSpec* group,
                                             const EntryTable& tools) const {
    const Kind& kind = kinds_[static_cast<std::size_t>(ItemKind::kTool)];
    if (group == nullptr || kind.same_places) return scope.tools;
    std::vector<bool> moved(tools.entries.size());
    for (std::uint32_t e = 0; e < kind.moved_to.size(); ++e) {
        if (kind.moved_to[e] != kGone) moved[kind.moved_to[e]] = scope.tools[e];
    }
    for (const std::uint32_t e : kind.added) moved[e] = selects_tool(*group, tools.entries[e]->name);
    return moved;
}

bool CatalogUpdate::concerns(const Scope& scope, std::size_t kind) const {
    if (!kinds_[kind].touched && !other_promises_) return false;
    if (scope.kind == Scope::Kind::kAll || scope.has_patterns) return true;
    return std::ranges::any_of(changed_, [&](SourceNumber s) { return scope.has_source(s); });
}

ScopeListingPtr CatalogUpdate::make_listing(const Scope& scope, std::size_t k, const EntryTable& table) const {
    const Kind& kind = kinds_[k];
    const auto name_of = [&](std::uint32_t e) { return std::string_view(table.entries[e]->name); };
    auto listing = std::make_shared<ScopeListing>();
    auto& order = listing->order;
    if (scope.kind == Scope::Kind::kServer) {
        order = table.of(scope.sources.front());
    } else if (kind.same_places) {
        order = scope.listings[k]->order;
    } else {
        for (const std::uint32_t e : scope.listings[k]->order) {
            if (kind.moved_to[e] != kGone) order.push_back(kind.moved_to[e]);
        }
        const auto middle = static_cast<std::ptrdiff_t>(order.size());
        for (const std::uint32_t e : kind.added) {
            if (scope.has(static_cast<ItemKind>(k), e, *table.entries[e])) order.push_back(e);
        }
        std::ranges::sort(order.begin() + middle, order.end(), {}, name_of);
        std::ranges::inplace_merge(order, order.begin() + middle, {}, name_of);
    }
    find_parts(scope, static_cast<ItemKind>(k), now_, table, *listing);
    finish_listing(scope, table, *listing);
    return listing;
}

}  // namespace gantry::gateway
