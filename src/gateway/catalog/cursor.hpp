#pragma once

#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gateway/model/item.hpp"

namespace gantry::gateway {

/// A place in a list: after the thing called `name`. Says nothing about one catalog or process, so that it leads on
/// after a swap, a restart and at another instance. URL-safe text.
std::string encode_cursor(ItemKind kind, std::string_view name);
/// kInvalidArgument unless made by encode_cursor for the same kind.
Result<std::string> decode_cursor(ItemKind kind, std::string_view cursor);

}  // namespace gantry::gateway
