#include "gateway/registry/catalog_builder.hpp"

#include "gateway/catalog/plan.hpp"

namespace gantry::gateway {

CatalogBuilder::CatalogBuilder(CatalogBuilderOptions options)
    : options_(std::move(options)), worker_(std::move(options_.worker)) {}
CatalogBuilder::~CatalogBuilder() = default;

CatalogPtr CatalogBuilder::build(CatalogInput input) {
    const std::lock_guard guard(building_);
    // Until every source has had its chance, contested names and URIs are assigned in configuration order, not to the
    // server that happened to answer first.
    if (input.provisional) options_.names.roll_back();
    if (options_.inspect) {
        for (SourceNumber s = 0; s < input.inventories.size(); ++s) {
            InventoryPtr& inventory = input.inventories[s];
            if (inventory) inventory = options_.inspect(input.plan->sources()[s].name, std::move(inventory));
        }
    }
    // A provisional build has to assign every name again.
    const Catalog* before = input.provisional ? nullptr : input.before.get();
    CatalogPtr made = Catalog::build(std::move(input.plan), std::move(input.inventories), options_.names, before);
    if (!input.provisional) save_if_changed();
    return made;
}

Task<Result<CatalogPtr>> CatalogBuilder::build(const Context& ctx, CatalogInput input) {
    if (!worker_) co_return build(std::move(input));
    co_return co_await worker_->run<CatalogPtr>(
        ctx, [this, input = std::move(input)]() mutable -> Result<CatalogPtr> { return build(std::move(input)); });
}

void CatalogBuilder::commit_names() {
    const std::lock_guard guard(building_);
    options_.names.commit();
    save_if_changed();
}

void CatalogBuilder::dispose(CatalogPtr old) {
    if (worker_ && old.use_count() == 1) worker_->post([old = std::move(old)] {});
}

void CatalogBuilder::save_if_changed() {
    const std::uint64_t edition = options_.names.edition();
    if (options_.save_names && std::exchange(saved_edition_, edition) != edition) options_.save_names(options_.names);
}

}  // namespace gantry::gateway
