#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/model/item.hpp"

// Definitions as text: looked into and renamed without a tree wherever the reader's revision allows.

namespace gantry::gateway {

/// The value of a top-level member of an object's text, byte for byte. Empty when there is none or the text is no
/// object; of what the value holds nothing is checked.
std::optional<std::string_view> member_of(std::string_view object, std::string_view key);

/// The member that names a thing of that kind: "name", "uri", "uriTemplate".
std::string_view name_key(ItemKind kind) noexcept;

/// Where in an item's text its name's value stands.
struct NamePlace {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
};
/// Empty when the definition does not name the item as the item says.
std::optional<NamePlace> find_name(const Item& item);

/// How a definition is to be told.
struct Telling {
    mcp::Revision revision = mcp::kLatestRevision;
    std::string_view name = {};
    /// Set when the source's URIs are not all public as they are: what a tool's `_meta.ui.resourceUri` becomes.
    const std::function<std::string(std::string_view)>* public_uri = nullptr;
};

/// Appends `item`'s definition. Only what `telling` changes is written anew.
void append_definition(const Item& item, NamePlace place, const Telling& telling, std::string& out);

}  // namespace gantry::gateway
