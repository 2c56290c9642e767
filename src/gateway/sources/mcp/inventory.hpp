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
    /// Receives every entry and list that cannot be used.
    std::function<void(const Error&)> on_skipped = {};
    /// Receives every list that cannot be had at all, after on_skipped.
    std::function<void(ItemKind, const Error&)> on_failed = {};
    /// Receives every list of which only the beginning was read, after on_skipped.
    std::function<void(ItemKind, const Error&)> on_cut = {};
    /// Arguments travel as headers too, so a tool whose header annotations break the rules cannot be called.
    bool mirrors_headers = false;
    /// An entry that reads as one of `before` does is that item, in whichever era it was listed.
    bool across_eras = false;
    std::size_t max_pages = 1000;
    /// Entries of each list; what comes after them is left out.
    std::size_t max_items = 10'000;
    /// Reads entries and compiles schemas, so that a long list or a large schema does not hold the loop up. Null: on
    /// the loop, a few at a time.
    std::shared_ptr<Worker> worker = {};
};

/// Asks the server for the lists of `kinds`; those of the others, and those that cannot be had now, stay as `before`
/// has them. An entry that did not change stays the same item. Fails only when the server cannot be reached.
Task<Result<InventoryPtr>> read_inventory(const Context& ctx, mcp::Client& client, InventoryPtr before, Kinds kinds,
                                          Listing listing);

/// One entry of a list as an item; an error says why it cannot be used.
Result<ItemPtr> read_item(ItemKind kind, const Json& entry, mcp::Revision revision, bool mirrors_headers);

}  // namespace gantry::gateway
