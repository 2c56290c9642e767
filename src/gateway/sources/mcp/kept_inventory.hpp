#pragma once

#include <string>
#include <string_view>

#include "gateway/model/item.hpp"

namespace gantry::gateway {

/// What a server offers, as text for another run. Definitions stay as they came.
std::string write_inventory(const Inventory& inventory);

/// The same back. It promises nothing about how long it is good for: the server was not asked. kParse for anything
/// write_inventory() does not write, whole: half a list is worse than none.
Result<InventoryPtr> restore_inventory(std::string_view text);

}  // namespace gantry::gateway
