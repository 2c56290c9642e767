#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/model/item.hpp"
#include "io/context.hpp"
#include "io/task.hpp"
#include "io/worker.hpp"
#include "mcp/client/client.hpp"

namespace gantry::gateway {

struct Listing {
    /// Called for every unusable entry or list.
    std::function<void(const Error&)> on_skipped = {};
    /// Called for every list that could not be read at all, after on_skipped.
    std::function<void(ItemKind, const Error&)> on_failed = {};
    /// Called for every list that was truncated, after on_skipped.
    std::function<void(ItemKind, const Error&)> on_cut = {};
    /// Arguments are sent as headers too, so a tool whose header annotations break the rules cannot be called.
    bool mirrors_headers = false;
    /// An entry with the same text as one of `before` is the same item, whichever era it was listed in.
    bool across_eras = false;
    std::size_t max_pages = 1000;
    /// Limit per list; further entries are left out.
    std::size_t max_items = 10'000;
    /// Reads entries and compiles schemas, so that a long list or a large schema does not block the loop. Null: runs on
    /// the loop, a few entries at a time.
    std::shared_ptr<Worker> worker = {};
};

/// Requests the lists of `kinds`. Other lists, and those that cannot be read now, are carried over from `before`. An
/// unchanged entry stays the same item. Fails only when the server cannot be reached.
Task<Result<InventoryPtr>> read_inventory(const Context& ctx, mcp::Client& client, InventoryPtr before, Kinds kinds,
                                          Listing listing);

/// Reads one list entry as an item; the error says why it is unusable.
Result<ItemPtr> read_item(ItemKind kind, const Json& entry, mcp::Revision revision, bool mirrors_headers);

}  // namespace gantry::gateway
