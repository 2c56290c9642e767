#pragma once

#include "mcp/protocol/codec/values.hpp"

namespace gantry::mcp {

/// Decodes into the alternative `Block` of a variant of content blocks.
template <class Block, class Variant>
Result<void> read_block(const Json& json, Variant& out, Revision revision, const Place& place) {
    return Codec<Block>::read(json, out.template emplace<Block>(), revision, place);
}

template <class Variant>
Json write_block(const Variant& value, Revision revision) {
    return std::visit([&]<class Block>(const Block& block) { return Codec<Block>::write(block, revision); }, value);
}

/// The object with `type` prepended.
inline Json typed(std::string_view type, Json object) {
    JsonObject out{{"type", Json(type)}};
    if (JsonObject* members = object.if_object()) {
        for (auto& [name, value] : *members) {
            if (name != "type") out.set(name, std::move(value));
        }
    }
    return out;
}

}  // namespace gantry::mcp
