#pragma once

#include <memory>

#include "base/local_ptr.hpp"
#include "gateway/catalog/catalog.hpp"
#include "gateway/runtime/call_settings.hpp"
#include "gateway/runtime/source_set.hpp"

namespace gantry::gateway {

/// Everything a call reads besides its connection, as of one configuration and one catalog. Immutable: a change
/// publishes another snapshot. A call takes one when it begins, holds it until its outcome, and borrows items and
/// sources from it, so that it neither counts references nor sees half of a change.
///
/// Belongs to one loop; what it refers to may be shared by the snapshots of several.
struct Snapshot : LocalCounted {
    Snapshot(CatalogPtr with_catalog, std::shared_ptr<const SourceSet> with_sources, CallSettingsPtr with_settings)
        : catalog(std::move(with_catalog)), sources(std::move(with_sources)), settings(std::move(with_settings)) {}

    const CatalogPtr catalog;
    /// Under the catalog's numbers.
    const std::shared_ptr<const SourceSet> sources;
    const CallSettingsPtr settings;
};
using SnapshotPtr = LocalPtr<const Snapshot>;

inline SnapshotPtr make_snapshot(CatalogPtr catalog, std::shared_ptr<const SourceSet> sources,
                                 CallSettingsPtr settings) {
    return SnapshotPtr(new Snapshot(std::move(catalog), std::move(sources), std::move(settings)));
}

}  // namespace gantry::gateway
