#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::app {

/// A place in a text, both from 1; 0: not known.
struct Mark {
    std::size_t line = 0;
    std::size_t column = 0;
};

struct YamlLimits {
    std::size_t max_bytes = 1u << 20;
    std::size_t max_depth = 32;
    /// Values, those that aliases repeat counted again.
    std::size_t max_nodes = 100'000;
};

struct YamlFault {
    Mark at;
    std::string what;
};

/// A YAML document as a tree of ours, and where its parts stood.
struct YamlDocument {
    Json tree;
    /// By JSON pointer: where a member's key, or an element's value, begins.
    std::map<std::string, Mark, std::less<>> places;

    /// Of the part itself, else of the nearest one around it that is known.
    Mark place_of(std::string_view pointer) const;
};

/// One document in UTF-8, read strictly: a key twice, several documents, tags, keys that are no text, merge keys and
/// anything beyond the limits are refused. Plain `yes` and `0x1f` are texts, as YAML 1.2 has it; of numbers only those
/// JSON knows are numbers, with their text kept. JSON is YAML; it is taken also where the YAML reader is stricter.
/// Faults never repeat what was read.
std::expected<YamlDocument, YamlFault> parse_yaml(std::string_view text, const YamlLimits& limits = {});

/// `key` as a part of a JSON pointer.
std::string pointer_part(std::string_view key);

}  // namespace gantry::app
