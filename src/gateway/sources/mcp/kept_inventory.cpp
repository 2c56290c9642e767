#include "gateway/sources/mcp/kept_inventory.hpp"

#include <array>
#include <set>
#include <utility>

#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/sources/mcp/inventory.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

namespace {

/// Limit over all kinds.
constexpr std::size_t kMostItems = 100'000;

constexpr std::int64_t kFormat = 1;
constexpr std::array<std::string_view, kItemKinds> kKindNames = {"tool", "prompt", "resource", "template"};

std::unexpected<Error> broken(const std::string& what) {
    return fail(ErrorCode::kParse, what);
}

Result<ItemKind> read_kind(std::string_view name) {
    for (std::size_t i = 0; i < kItemKinds; ++i) {
        if (kKindNames[i] == name) return static_cast<ItemKind>(i);
    }
    return broken("an item is of no known kind");
}

Result<ItemPtr> restore_item(const Json& entry) {
    GANTRY_TRY(const ItemKind kind, read_kind(entry.string_at("kind")));
    const auto revision = mcp::parse_revision(entry.string_at("revision"));
    if (!revision) return broken("an item is of no known revision");
    const Json* definition = entry.find("definition");
    if (definition == nullptr || !definition->is_object()) return broken("an item has no definition");
    // Header annotations were checked when the item was listed.
    return read_item(kind, *definition, *revision, false);
}

Result<std::vector<ItemPtr>> restore_items(const Json& whole) {
    const Json* entries = whole.find("items");
    if (entries == nullptr || !entries->is_array()) return broken("there is no list of items");
    if (entries->if_array()->size() > kMostItems) return broken("there are too many items");
    std::vector<ItemPtr> items;
    std::set<std::pair<ItemKind, std::string>> names;
    for (const Json& entry : *entries->if_array()) {
        GANTRY_TRY(ItemPtr item, restore_item(entry));
        if (!names.emplace(item->kind, item->name).second) return broken("an item is there twice");
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace

std::string write_inventory(const Inventory& inventory) {
    JsonObject head{{"format", kFormat}, {"modern", inventory.modern}, {"public", inventory.is_public}};
    head.set("capabilities", mcp::encode(inventory.capabilities, mcp::kLatestRevision));
    if (inventory.instructions) head.set("instructions", *inventory.instructions);
    std::string text = Json(std::move(head)).dump();
    text.pop_back();
    text += R"(,"items":[)";
    bool first = true;
    for (const ItemPtr& item : inventory.items) {
        if (!std::exchange(first, false)) text += ",\n";
        text.append(R"({"kind":")").append(kKindNames[static_cast<std::size_t>(item->kind)]);
        text.append(R"(","revision":")").append(mcp::to_string(item->revision));
        text.append(R"(","definition":)").append(item->text).append("}");
    }
    return text + "]}\n";
}

Result<InventoryPtr> restore_inventory(std::string_view text) {
    GANTRY_TRY(const Json whole, Json::parse(text));
    const Json* format = whole.find("format");
    if (format == nullptr || format->as_int() != kFormat) return broken("it was written by another version");
    const Json* modern = whole.find("modern");
    const Json* is_public = whole.find("public");
    const Json* capabilities = whole.find("capabilities");
    if (modern == nullptr || !modern->is_bool() || is_public == nullptr || !is_public->is_bool() ||
        capabilities == nullptr) {
        return broken("something is missing");
    }
    auto inventory = std::make_shared<Inventory>();
    inventory->modern = *modern->if_bool();
    inventory->is_public = *is_public->if_bool() && inventory->modern;
    GANTRY_TRY(inventory->capabilities, mcp::decode<mcp::ServerCapabilities>(*capabilities, mcp::kLatestRevision));
    if (const Json* instructions = whole.find("instructions")) {
        if (!instructions->is_string()) return broken("its instructions are no text");
        inventory->instructions = *instructions->if_string();
    }
    GANTRY_TRY(inventory->items, restore_items(whole));
    return inventory;
}

}  // namespace gantry::gateway
