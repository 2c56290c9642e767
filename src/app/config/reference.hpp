#pragma once

#include <string>
#include <vector>

#include "gantry/json.hpp"

namespace gantry::app {

/// One key of a configuration, as its schema (config_schema()) describes it.
struct ReferenceRow {
    /// Keys of a list's entries are named like those of a map: "servers.timeout".
    std::string key;
    const Json* setting = nullptr;  // in the schema
    /// It is a map, or a list of maps, whose keys have rows of their own.
    bool is_group = false;
};
/// All keys in the order in which they are read, each group after the single keys beside it. Other spellings of a key
/// and keys without a meaning are left out. Refers to `schema`.
std::vector<ReferenceRow> reference_rows(const Json& schema);

/// The same as one Markdown table: key, type, default, when a change takes effect, and what it means.
/// docs/configuration.md contains it; tools/update-reference puts it there.
std::string config_reference(const Json& schema);

}  // namespace gantry::app
