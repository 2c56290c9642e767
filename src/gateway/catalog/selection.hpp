#pragma once

#include <string>
#include <vector>

#include "gateway/catalog/plan.hpp"

namespace gantry::gateway {

/// Selects the items of each source that go into the catalog: those its rules permit, up to its fair share of the
/// places of each kind. When a source is cut, items that already have a name take precedence over new ones.
class Selection {
public:
    Selection(const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories, const NameBook& names);

    bool operator()(std::size_t source, std::size_t item) const { return taken_[source][item]; }
    /// By source: permitted, but beyond its share.
    const std::vector<LeftOut>& left_out() const noexcept { return left_out_; }

private:
    void cut(const std::string& source, const Inventory& inventory, std::size_t number, ItemKind kind,
             std::size_t share, const NameBook& names);

    std::vector<std::vector<bool>> taken_;
    std::vector<LeftOut> left_out_;
};

/// Human-readable: how many items of a kind a server could not add to the catalog, and what to do about it.
std::string surplus_text(std::size_t left_out, ItemKind kind, const CatalogRules& rules);

}  // namespace gantry::gateway
