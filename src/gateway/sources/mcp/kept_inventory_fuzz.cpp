#include "gateway/sources/mcp/kept_inventory.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

// Restores arbitrary files: whatever is accepted is complete, can be offered, and is serialized again to the same text.

namespace {

using namespace gantry::gateway;

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto restored = restore_inventory({reinterpret_cast<const char*>(data), size});
    if (!restored) return 0;
    std::set<std::pair<ItemKind, std::string>> names;
    for (const ItemPtr& item : (*restored)->items) {
        require(!item->name.empty() && item->text.starts_with('{'));
        require(names.emplace(item->kind, item->name).second);
    }
    require((*restored)->ttl_ms == 0);
    const std::string text = write_inventory(**restored);
    const auto again = restore_inventory(text);
    require(again.has_value() && (*again)->items.size() == (*restored)->items.size());
    require(write_inventory(**again) == text);
    return 0;
}
