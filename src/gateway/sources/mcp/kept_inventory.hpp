#pragma once

#include <string>
#include <string_view>

#include "gateway/model/item.hpp"

namespace gantry::gateway {

/// Serializes an inventory for a later run. Definitions keep their original text.
std::string write_inventory(const Inventory& inventory);

/// Reverses write_inventory(). The result promises no freshness, because the server was not asked. Fails with kParse,
/// as a whole, for anything write_inventory() does not produce: half a list is worse than none.
Result<InventoryPtr> restore_inventory(std::string_view text);

}  // namespace gantry::gateway
