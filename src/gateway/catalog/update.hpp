#pragma once

#include <memory>
#include <vector>

#include "gateway/catalog/impl.hpp"

namespace gantry::gateway {

/// Builds a catalog from the one before it, so that the change of one tool costs little, however long the lists are:
/// entries, indexes and rendered pages that the change does not concern are shared. The result is what a build from
/// scratch would give.
class CatalogUpdate {
public:
    /// Null: the change is of a kind that has to be built from scratch, because names may move between items: a source
    /// has other capabilities, a name is contested, an item is unusable or a limit is reached.
    static std::unique_ptr<const Catalog::Impl> run(const Catalog::Impl& before, const std::vector<InventoryPtr>& now,
                                                    NameBook& names);

private:
    static constexpr std::uint32_t kGone = UINT32_MAX;

    /// The new entries of one kind, and how they follow from the old ones.
    struct Kind {
        std::vector<std::shared_ptr<Entry>> made;  // replaced or added; the rest is in `entries` already
        std::vector<EntryPtr> entries;
        std::vector<std::uint32_t> begin;
        std::vector<std::uint32_t> moved_to;  // by old entry
        std::vector<std::uint32_t> added;
        bool touched = false;
        /// Every entry has the name and the place it had.
        bool same_places = true;
    };

    CatalogUpdate(const Catalog::Impl& before, const std::vector<InventoryPtr>& now, NameBook& names);

    bool is_possible() const;
    bool match_sources();
    bool match(SourceNumber source);
    bool take(SourceNumber source, const ItemPtr& item, std::array<std::uint32_t, kItemKinds>& cursor);
    void keep(SourceNumber source);
    bool name_added();
    bool name(Kind& kind, Entry& entry, std::vector<std::string_view>& given);
    void find_places();
    bool within_limits() const;
    EntryTables make_tables();
    std::vector<Scope> make_scopes(const EntryTables& tables) const;
    std::vector<bool> moved_tools(const Scope& scope, const GroupSpec* group, const EntryTable& tools) const;
    bool concerns(const Scope& scope, std::size_t kind) const;
    ScopeListingPtr make_listing(const Scope& scope, std::size_t kind, const EntryTable& table) const;

    const Catalog::Impl& before_;
    const CatalogPlan& plan_;
    const std::vector<InventoryPtr>& now_;
    NameBook& names_;
    std::vector<SourceNumber> changed_;
    /// The pages of all lists of the changed sources have to be rendered again: what they promise has changed.
    bool other_promises_ = false;
    std::array<Kind, kItemKinds> kinds_;
};

}  // namespace gantry::gateway
