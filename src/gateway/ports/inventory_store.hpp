#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// Where it is kept from one run to the next what a server offered. Belongs to one loop.
class InventoryStore {
public:
    virtual ~InventoryStore() = default;

    /// What keep() was given last for a server reached in the same way; empty: nothing that could be used.
    virtual std::optional<std::string> recall(const McpServerSpec& spec) = 0;
    /// What cannot be kept is told to the operator and is no reason to stop.
    virtual void keep(const McpServerSpec& spec, std::string_view text) = 0;
};

}  // namespace gantry::gateway
