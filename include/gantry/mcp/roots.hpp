#pragma once

#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

/// A directory or file the client permits a server to work in.
struct Root {
    std::string uri = {};  ///< file://…
    std::optional<std::string> name = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const Root&) const = default;
};

struct ListRootsResult {
    std::vector<Root> roots = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListRootsResult&) const = default;
};

}  // namespace gantry::mcp
