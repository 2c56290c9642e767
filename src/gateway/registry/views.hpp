#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/ports/source.hpp"
#include "gateway/runtime/snapshot.hpp"

namespace gantry::gateway {

/// Snapshots for callers with items of their own.
///
/// Callers that are offered the same items share one. It is built on first use and kept while it is used; the one that
/// belongs to a caller is cached until something changes.
class Views {
public:
    /// By source number; null: what the source offers to all.
    using Inventories = std::vector<InventoryPtr>;

    /// The caller's snapshot as of the last keep(); null: not known.
    const SnapshotPtr* find(const Audience& audience);
    const SnapshotPtr& keep(const Audience& audience, SnapshotPtr snapshot);

    /// The snapshot made for callers with these items; null: not made yet.
    const SnapshotPtr* made_for(const Inventories& offered);
    const SnapshotPtr& add(Inventories offered, SnapshotPtr snapshot);

    /// Invalidates what is known of callers, because they may be offered something else now.
    void forget_callers() { callers_.clear(); }
    /// Invalidates everything, because snapshots are made differently now.
    void forget_all();
    std::size_t size() const noexcept { return made_.size(); }

private:
    struct Made {
        Inventories from;
        SnapshotPtr snapshot;
        std::uint64_t used = 0;
    };
    /// Limits on the number of snapshots and on the tools in all of them; the least recently used one is evicted.
    static constexpr std::size_t kMaxMade = 64;
    static constexpr std::size_t kMaxTools = 400'000;
    static constexpr std::size_t kMaxCallers = 10'000;

    void write_key(const Audience& audience);
    void make_room();

    std::vector<Made> made_;
    std::unordered_map<std::string, SnapshotPtr> callers_;
    std::string key_;
    std::uint64_t uses_ = 0;
};

}  // namespace gantry::gateway
