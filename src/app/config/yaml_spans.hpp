#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"

namespace gantry::app {

/// A part of a YAML text with its position, for edits that leave the rest of the text alone.
///
/// Offsets are bytes. `end` is just after the last character of the content: comments, blank lines and separators that
/// follow do not belong to the node.
struct YamlNode {
    enum class Kind : std::uint8_t { kScalar, kSequence, kMapping, kAlias };

    Kind kind = Kind::kScalar;
    /// Collections only: flow style, `{a: 1}` or `[1]`, instead of indented lines.
    bool flow = false;
    std::size_t begin = 0;
    std::size_t end = 0;
    /// The value of a scalar.
    std::string text = {};
    /// The items of a sequence, the values of a mapping.
    std::vector<YamlNode> items = {};
    /// The keys of a mapping, in the order of `items`; else empty.
    std::vector<YamlNode> keys = {};

    bool is_empty_scalar() const noexcept { return kind == Kind::kScalar && begin == end; }
    /// Begin and end of item or member `i`, its key included.
    std::size_t begin_of(std::size_t i) const noexcept { return keys.empty() ? items[i].begin : keys[i].begin; }
    std::size_t end_of(std::size_t i) const noexcept {
        return keys.empty() ? items[i].end : std::max(keys[i].end, items[i].end);
    }
    /// The value; null when this is not a mapping or has no such key.
    const YamlNode* find(std::string_view key) const noexcept;
};

/// The layout of a document that parse_yaml() accepts. JSON is treated as flow style. An empty document is an empty
/// scalar at the end of the text.
Result<YamlNode> locate_yaml(std::string_view text);

}  // namespace gantry::app
