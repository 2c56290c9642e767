#pragma once

#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gateway/model/item.hpp"

namespace gantry::gateway {

/// A position in a list: after the item called `name`. Independent of catalog and process, so it stays valid after a
/// catalog swap, a restart and at another instance. URL-safe text.
std::string encode_cursor(ItemKind kind, std::string_view name);
/// kInvalidArgument unless it was made by encode_cursor for the same kind.
Result<std::string> decode_cursor(ItemKind kind, std::string_view cursor);

}  // namespace gantry::gateway
