#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// Persists each server's last known inventory across restarts. Belongs to one loop.
class InventoryStore {
public:
    virtual ~InventoryStore() = default;

    /// The text last passed to keep() for a server reached in the same way; empty when nothing usable is stored.
    virtual std::optional<std::string> recall(const McpServerSpec& spec) = 0;
    /// Best effort: a failure is reported to the operator and is not an error for the caller.
    virtual void keep(const McpServerSpec& spec, std::string_view text) = 0;
};

}  // namespace gantry::gateway
