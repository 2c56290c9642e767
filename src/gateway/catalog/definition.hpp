#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/model/item.hpp"

// Definitions as text: inspected and renamed without parsing them into a tree, where the reader's revision allows.

namespace gantry::gateway {

/// The value of a top-level member of a JSON object's text, byte for byte. Empty when there is none or the text is not
/// an object; the value itself is not validated.
std::optional<std::string_view> member_of(std::string_view object, std::string_view key);

/// The member that names an item of that kind: "name", "uri", "uriTemplate".
std::string_view name_key(ItemKind kind) noexcept;

/// Position of the name's value in an item's text.
struct NamePlace {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
};
/// Empty when the definition's name differs from the item's.
std::optional<NamePlace> find_name(const Item& item);

/// How to render a definition.
struct RenderOptions {
    mcp::Revision revision = mcp::kLatestRevision;
    std::string_view name = {};
    /// Set when some of the source's URIs are exposed under other names: maps a tool's `_meta.ui.resourceUri`.
    const std::function<std::string(std::string_view)>* public_uri = nullptr;
};

/// Appends `item`'s definition. Copies everything that `options` does not change.
void append_definition(const Item& item, NamePlace place, const RenderOptions& options, std::string& out);

}  // namespace gantry::gateway
