#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::app {

/// A position in a text, both from 1; 0: unknown.
struct Mark {
    std::size_t line = 0;
    std::size_t column = 0;
};

struct YamlLimits {
    std::size_t max_bytes = 1u << 20;
    std::size_t max_depth = 32;
    /// Number of values; those repeated by aliases count again.
    std::size_t max_nodes = 100'000;
};

struct YamlFault {
    Mark at;
    std::string what;
};

/// A YAML document as a JSON tree, with the positions of its parts.
struct YamlDocument {
    Json tree;
    /// By JSON pointer: where a member's key, or an element's value, begins.
    std::map<std::string, Mark, std::less<>> places;

    /// The position of the part, or of its nearest ancestor with a known one.
    Mark place_of(std::string_view pointer) const;
};

/// Parses one UTF-8 document strictly: duplicate keys, several documents, tags, keys that are not text, merge keys and
/// anything beyond the limits are refused. Plain `yes` and `0x1f` are text, as in YAML 1.2; only JSON numbers are
/// numbers, and they keep their text. JSON is accepted too, even where the YAML reader is stricter. Faults never repeat
/// the input.
std::expected<YamlDocument, YamlFault> parse_yaml(std::string_view text, const YamlLimits& limits = {});

/// `key` as a part of a JSON pointer.
std::string pointer_part(std::string_view key);

}  // namespace gantry::app
