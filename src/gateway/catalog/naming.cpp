// Selects and names the items of all sources, and settles who gets a name that several want.

#include "gateway/catalog/entries.hpp"
#include "gateway/catalog/names.hpp"
#include "gateway/catalog/selection.hpp"

namespace gantry::gateway {

namespace {

using Drafts = std::vector<std::shared_ptr<Entry>>;

/// Assigns names to all entries of one kind.
class Namer {
public:
    Namer(ItemKind kind, const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories, NameBook& names,
          Drafts& drafts, ProblemList& problems)
        : kind_(kind),
          plan_(plan),
          inventories_(inventories),
          names_(names),
          drafts_(drafts),
          taken_(drafts.size()),
          problems_(problems) {}

    /// Returns whether an entry is left without a name.
    bool run() {
        std::vector<std::string> wishes;
        std::vector<std::uint32_t> newcomers;
        for (std::uint32_t e = 0; e < drafts_.size(); ++e) {
            std::string wanted = wanted_name(plan_, *drafts_[e]);
            const std::string* name = names_.given(kind_, source(e), drafts_[e]->item->name, wanted);
            if (name != nullptr) {
                settle(e, *name);
            } else {
                newcomers.push_back(e);
                wishes.push_back(std::move(wanted));
            }
        }
        for (std::size_t i = 0; i < newcomers.size(); ++i) admit(newcomers[i], std::move(wishes[i]));
        return any_hidden_;
    }

private:
    const std::string& source(std::uint32_t e) const { return plan_.sources()[drafts_[e]->source].name; }

    void settle(std::uint32_t e, std::string name) {
        drafts_[e]->set_name(std::move(name));
        taken_.insert(drafts_[e]->name_hash, e);
    }

    void admit(std::uint32_t e, std::string wanted) {
        const std::string& own = drafts_[e]->item->name;
        const std::string_view rival = owner(wanted, source(e));
        std::string name = rival.empty() ? wanted : other_name(e, wanted, rival);
        if (name.empty()) {
            drafts_[e]->hidden = true;
            any_hidden_ = true;
            return;
        }
        names_.give(kind_, source(e), own, std::move(wanted), name);
        settle(e, std::move(name));
    }

    /// The source that holds `name`; empty: it is free. The name of an item that is gone is free for others, unless its
    /// source is configured and merely down: its clients would then reach another source under that name.
    std::string_view owner(std::string_view name, std::string_view asking) const {
        const auto has = taken_.find(name_hash(name), [&](std::uint32_t e) { return drafts_[e]->name == name; });
        if (has) return source(*has);
        const std::string_view had = names_.holder(kind_, name);
        if (had.empty() || had == asking) return {};
        const auto number = plan_.source_named(had);
        return number && inventories_[*number]->items.empty() ? had : std::string_view();
    }

    /// The alternative name for the later item; empty: it is hidden.
    std::string other_name(std::uint32_t e, const std::string& wanted, std::string_view rival) {
        const std::string& own = drafts_[e]->item->name;
        const std::string& mine = source(e);
        const bool suffix = plan_.rules().on_collision == OnCollision::kSuffix;
        std::vector<std::string> offers;
        if (!has_names(kind_)) {
            if (suffix) offers = {uri_tag(mine) + own};
        } else if (rival == mine) {
            // Caused by our own mapping: the source's names differ in characters that both became `_`.
            offers = {hashed_name(wanted, mine, own)};
        } else if (suffix) {
            offers = {suffixed_name(wanted, mine, own), hashed_name(wanted, mine, own)};
        }
        for (std::string& offer : offers) {
            if (!owner(offer, mine).empty()) continue;
            if (rival != mine) {
                problems_.add(mine, quoted_name(kind_, wanted) + " is taken by server '" + std::string(rival) +
                                        "'; offered as '" + offer + "'");
            }
            return std::move(offer);
        }
        problems_.add(mine, quoted_name(kind_, wanted) + " is taken by server '" + std::string(rival) + "'; left out");
        return {};
    }

    const ItemKind kind_;
    const CatalogPlan& plan_;
    const std::vector<InventoryPtr>& inventories_;
    NameBook& names_;
    Drafts& drafts_;
    NameIndex taken_;
    ProblemList& problems_;
    bool any_hidden_ = false;
};

/// The selected items of all sources that can be offered at all, by kind.
struct Collected {
    std::array<Drafts, kItemKinds> drafts;
    std::array<std::vector<std::uint32_t>, kItemKinds> begin;
};

Collected collect(const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories, const Selection& chosen,
                  ProblemList& problems) {
    Collected all;
    for (SourceNumber s = 0; s < inventories.size(); ++s) {
        const std::string& source = plan.sources()[s].name;
        const auto& items = inventories[s]->items;
        std::array<NameIndex, kItemKinds> seen;
        seen.fill(NameIndex(items.size()));
        for (std::size_t kind = 0; kind < kItemKinds; ++kind)
            all.begin[kind].push_back(static_cast<std::uint32_t>(all.drafts[kind].size()));
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (!chosen(s, i)) continue;
            const ItemPtr& item = items[i];
            const auto kind = static_cast<std::size_t>(item->kind);
            Drafts& drafts = all.drafts[kind];
            std::string fault;
            auto entry = make_entry(item, s, fault);
            if (!entry) {
                problems.add(source, quoted_name(item->kind, item->name) + " has no usable name; left out");
                continue;
            }
            if (seen[kind].find(entry->own_hash,
                                [&](std::uint32_t e) { return drafts[e]->item->name == item->name; })) {
                problems.add(source, quoted_name(item->kind, item->name) + " is listed twice; the first counts");
                continue;
            }
            if (!fault.empty())
                problems.add(source,
                             quoted_name(item->kind, item->name) + " is not shown to clients of 2026-07-28: " + fault);
            seen[kind].insert(entry->own_hash, static_cast<std::uint32_t>(drafts.size()));
            drafts.push_back(std::move(entry));
        }
    }
    for (std::size_t kind = 0; kind < kItemKinds; ++kind)
        all.begin[kind].push_back(static_cast<std::uint32_t>(all.drafts[kind].size()));
    return all;
}

}  // namespace

Named name_entries(const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories, NameBook& names,
                   ProblemList& problems) {
    const Selection chosen(plan, inventories, names);
    Named named{.tables = {}, .left_out = chosen.left_out()};
    for (SourceNumber s = 0; s < inventories.size(); ++s) {
        for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
            if (named.left_out[s][kind] != 0)
                problems.add(plan.sources()[s].name,
                             surplus_text(named.left_out[s][kind], static_cast<ItemKind>(kind), plan.rules()));
        }
    }
    Collected all = collect(plan, inventories, chosen, problems);
    names.begin_round();
    for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
        Drafts& drafts = all.drafts[kind];
        if (Namer(static_cast<ItemKind>(kind), plan, inventories, names, drafts, problems).run())
            named.any_hidden = true;
        EntryTable& table = named.tables[kind];
        table.begin = std::move(all.begin[kind]);
        table.entries.reserve(drafts.size());
        for (auto& draft : drafts) table.entries.push_back(std::move(draft));
        table.index();
    }
    names.end_round();
    return named;
}

}  // namespace gantry::gateway
