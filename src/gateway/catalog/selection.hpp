#pragma once

#include <string>
#include <vector>

#include "gateway/catalog/catalog.hpp"

namespace gantry::gateway {

/// Which items of each shelf are in the catalog: those its rules permit, not more than its fair share of the places of
/// each kind. Within a shelf that is cut, things that have had a name stay; what is new comes after them.
class Selection {
public:
    Selection(const std::vector<Shelf>& shelves, const CatalogRules& rules, const NameBook& names);

    bool operator()(std::size_t shelf, std::size_t item) const { return taken_[shelf][item]; }
    /// By shelf: permitted, but beyond its share.
    const std::vector<LeftOut>& left_out() const noexcept { return left_out_; }

private:
    void cut(const Shelf& shelf, std::size_t number, ItemKind kind, std::size_t share, const NameBook& names);

    std::vector<std::vector<bool>> taken_;
    std::vector<LeftOut> left_out_;
};

/// For people: how many things of a kind a server does not get into the catalog, and what to do about it.
std::string surplus_text(std::size_t left_out, ItemKind kind, const CatalogRules& rules);

}  // namespace gantry::gateway
