#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/ports/source.hpp"

namespace gantry::gateway {

/// Catalogs for callers to whom some source offers something of its own.
///
/// Callers who are offered the same share one. A catalog is made when it is first asked for and kept while it is used;
/// which one a caller gets is remembered until something changes.
class Views {
public:
    /// By the number of the source; null: what it offers to all.
    using Inventories = std::vector<InventoryPtr>;
    using Build = std::function<CatalogPtr(const Inventories&)>;

    /// The caller's catalog. `offered` is asked, and `build` too, only where that is not known.
    const CatalogPtr& find(const Audience& audience, const CatalogPtr& common,
                           const std::function<Inventories(const Audience&)>& offered, const Build& build);
    /// Callers may be offered something else now.
    void forget_callers();
    /// Catalogs are made differently now.
    void forget_all();
    std::size_t size() const noexcept { return made_.size(); }

private:
    struct Made {
        Inventories from;
        CatalogPtr catalog;
        std::uint64_t used = 0;
    };
    /// At most so many, and so many tools in all of them: what is not used for longest makes room.
    static constexpr std::size_t kMaxMade = 64;
    static constexpr std::size_t kMaxTools = 400'000;
    static constexpr std::size_t kMaxCallers = 10'000;

    const CatalogPtr& made_of(Inventories from, const Build& build);
    void make_room();

    std::vector<Made> made_;
    std::unordered_map<std::string, CatalogPtr> callers_;
    std::string key_;
    std::uint64_t uses_ = 0;
};

}  // namespace gantry::gateway
