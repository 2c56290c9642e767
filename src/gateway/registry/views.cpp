#include "gateway/registry/views.hpp"

#include <algorithm>

namespace gantry::gateway {

const CatalogPtr& Views::find(const Audience& audience, const CatalogPtr& common,
                              const std::function<Inventories(const Audience&)>& offered, const Build& build) {
    key_.assign(audience.client.modern() ? "m" : "l").append(audience.reachable ? "+" : "-");
    key_.append(audience.principal.id).append("\n").append(audience.client.session).append("\n");
    key_.append(audience.client.capabilities_text);
    if (const auto known = callers_.find(key_); known != callers_.end()) return known->second;
    if (callers_.size() >= kMaxCallers) callers_.clear();
    Inventories from = offered(audience);
    const bool differs = std::ranges::any_of(from, [](const InventoryPtr& one) { return one != nullptr; });
    return callers_[key_] = differs ? made_of(std::move(from), build) : common;
}

const CatalogPtr& Views::made_of(Inventories from, const Build& build) {
    auto made = std::ranges::find(made_, from, &Made::from);
    if (made == made_.end()) {
        CatalogPtr catalog = build(from);
        make_room();
        made = made_.insert(made_.end(), Made{.from = std::move(from), .catalog = std::move(catalog)});
    }
    made->used = ++uses_;
    return made->catalog;
}

void Views::make_room() {
    const auto tools = [this] {
        std::size_t sum = 0;
        for (const Made& made : made_) sum += made.catalog->size(ItemKind::kTool, "");
        return sum;
    };
    while (made_.size() >= kMaxMade || (made_.size() > 1 && tools() > kMaxTools))
        made_.erase(std::ranges::min_element(made_, {}, &Made::used));
}

void Views::forget_callers() {
    callers_.clear();
}

void Views::forget_all() {
    callers_.clear();
    made_.clear();
}

}  // namespace gantry::gateway
