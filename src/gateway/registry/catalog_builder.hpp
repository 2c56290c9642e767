#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/name_book.hpp"
#include "io/context.hpp"
#include "io/task.hpp"
#include "io/worker.hpp"

namespace gantry::gateway {

/// What one catalog is built from.
struct CatalogInput {
    CatalogPlanPtr plan;
    /// As the sources offer them, by number.
    std::vector<InventoryPtr> inventories;
    /// Speeds the build up; may be null.
    CatalogPtr before = {};
    /// Some sources have not answered yet, so names assigned since the last commit are assigned again.
    bool provisional = false;
};

struct CatalogBuilderOptions {
    /// Public names assigned in earlier runs; passed to save_names whenever they change.
    NameBook names = NameBook();
    std::function<void(const NameBook&)> save_names = {};
    /// Filters a source's items. Unset: all items are shown. For the same items it must return the same object.
    std::function<InventoryPtr(const std::string& source, InventoryPtr offered)> inspect = {};
    /// A low-priority thread on which catalogs are built, and both functions above are called. Null: on the loop.
    std::unique_ptr<Worker> worker = {};
};

/// Builds catalogs and owns what lasts from one to the next: the names. One build at a time, on any thread.
class CatalogBuilder {
public:
    explicit CatalogBuilder(CatalogBuilderOptions options);
    /// Waits for the build in progress.
    ~CatalogBuilder();

    /// Builds on this thread, after a build in progress.
    CatalogPtr build(CatalogInput input);
    /// Builds without holding up the loop, if there is a thread for that. Fails only when the context ends.
    Task<Result<CatalogPtr>> build(const Context& ctx, CatalogInput input);
    /// Names assigned so far are permanent from here on.
    void commit_names();
    /// Frees an old catalog away from the loop: that takes time proportional to its size.
    void dispose(CatalogPtr old);

private:
    void save_if_changed();

    CatalogBuilderOptions options_;
    std::mutex building_;
    std::uint64_t saved_edition_ = 0;
    std::unique_ptr<Worker> worker_;  // the last member, because its jobs use the others
};

}  // namespace gantry::gateway
