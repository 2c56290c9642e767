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

/// Catalogs for callers with items of their own.
///
/// Callers that are offered the same items share one catalog. A catalog is built on first use and kept while it is
/// used; the one that belongs to a caller is cached until something changes.
class Views {
public:
    /// Indexed by source; null: what the source offers to all.
    using Inventories = std::vector<InventoryPtr>;
    using Build = std::function<CatalogPtr(const Inventories&)>;

    /// Returns the caller's catalog. `offered`, and then `build`, are called only on a cache miss.
    const CatalogPtr& find(const Audience& audience, const CatalogPtr& common,
                           const std::function<Inventories(const Audience&)>& offered, const Build& build);
    /// Invalidates the callers' catalogs, because callers may be offered something else now.
    void forget_callers();
    /// Invalidates everything, because catalogs are built differently now.
    void forget_all();
    std::size_t size() const noexcept { return made_.size(); }

private:
    struct Made {
        Inventories from;
        CatalogPtr catalog;
        std::uint64_t used = 0;
    };
    /// Limits on the number of catalogs and on the tools in all of them; the least recently used one is evicted.
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
