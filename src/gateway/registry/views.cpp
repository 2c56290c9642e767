#include "gateway/registry/views.hpp"

#include <algorithm>

namespace gantry::gateway {

void Views::write_key(const Audience& audience) {
    key_.assign(audience.client.modern() ? "m" : "l").append(audience.reachable ? "+" : "-");
    key_.append(audience.principal.id).append("\n").append(audience.client.session).append("\n");
    key_.append(audience.client.capabilities_text);
}

const SnapshotPtr* Views::find(const Audience& audience) {
    write_key(audience);
    const auto known = callers_.find(key_);
    return known == callers_.end() ? nullptr : &known->second;
}

const SnapshotPtr& Views::keep(const Audience& audience, SnapshotPtr snapshot) {
    write_key(audience);
    if (callers_.size() >= kMaxCallers) callers_.clear();
    return callers_[key_] = std::move(snapshot);
}

const SnapshotPtr* Views::made_for(const Inventories& offered) {
    const auto made = std::ranges::find(made_, offered, &Made::from);
    if (made == made_.end()) return nullptr;
    made->used = ++uses_;
    return &made->snapshot;
}

const SnapshotPtr& Views::add(Inventories offered, SnapshotPtr snapshot) {
    make_room();
    made_.push_back({.from = std::move(offered), .snapshot = std::move(snapshot), .used = ++uses_});
    return made_.back().snapshot;
}

void Views::make_room() {
    const auto tools = [this] {
        std::size_t sum = 0;
        for (const Made& made : made_) sum += made.snapshot->catalog->size(ItemKind::kTool, "");
        return sum;
    };
    while (made_.size() >= kMaxMade || (made_.size() > 1 && tools() > kMaxTools))
        made_.erase(std::ranges::min_element(made_, {}, &Made::used));
}

void Views::forget_all() {
    callers_.clear();
    made_.clear();
}

}  // namespace gantry::gateway
