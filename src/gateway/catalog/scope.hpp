#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "gateway/catalog/entries.hpp"
#include "gateway/catalog/page_cache.hpp"

namespace gantry::gateway {

/// The items of one kind in one scope. Sorted by the names they have there; the scope of a single server keeps that
/// server's order.
struct ScopeListing {
    std::vector<std::uint32_t> order;
    /// The order without items that modern clients must not see; filled only if there are any.
    std::vector<std::uint32_t> modern_order;
    bool modern_differs = false;
    /// Sources that contribute to the list: they have such items, or may have.
    std::vector<SourceNumber> parts;
    /// Over names and definitions.
    std::uint64_t digest = 0;
    PageCache pages;

    const std::vector<std::uint32_t>& for_client(mcp::Revision revision) const noexcept {
        return modern_differs && mcp::is_modern(revision) ? modern_order : order;
    }
};
using ScopeListingPtr = std::shared_ptr<const ScopeListing>;

/// A part of the catalog that clients can connect to.
struct Scope {
    enum class Kind : std::uint8_t { kAll, kServer, kGroup };
    Kind kind = Kind::kAll;
    std::vector<SourceNumber> sources = {};  // sources that are in it as a whole; sorted
    bool has_patterns = false;
    /// With patterns: single tools beyond those of `sources`, indexed by entry.
    std::vector<bool> tools = {};
    std::array<ScopeListingPtr, kItemKinds> listings = {};

    bool has_source(SourceNumber source) const noexcept;
    bool has(ItemKind item_kind, std::uint32_t entry_index, const Entry& entry) const noexcept {
        if (kind == Kind::kAll || has_source(entry.source)) return true;
        return item_kind == ItemKind::kTool && entry_index < tools.size() && tools[entry_index];
    }
    const ScopeListing& listing(ItemKind item_kind) const { return *listings[static_cast<std::size_t>(item_kind)]; }
    /// What an item is called here.
    std::string_view name_of(const Entry& entry) const noexcept {
        return kind == Kind::kServer ? std::string_view(entry.item->name) : std::string_view(entry.name);
    }
};

/// Whether a source declares that it offers such items.
bool declares(const Inventory& inventory, ItemKind kind) noexcept;

/// All scopes, in the order of CatalogPlan::scopes().
std::vector<Scope> make_scopes(const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories,
                               const EntryTables& tables, ProblemList& problems);

/// Fills `parts`, which follow from the order of `listing`.
void find_parts(const Scope& scope, ItemKind kind, const std::vector<InventoryPtr>& inventories,
                const EntryTable& table, ScopeListing& listing);
/// Fills what follows from `order`: modern_order and digest.
void finish_listing(const Scope& scope, const EntryTable& table, ScopeListing& listing);
/// Whether a tool of that public name is in the group by one of its patterns.
bool selects_tool(const GroupSpec& group, std::string_view public_name) noexcept;

}  // namespace gantry::gateway
