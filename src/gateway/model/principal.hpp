#pragma once

#include <string>

namespace gantry::gateway {

/// An authenticated caller. Calls of one principal may share what belongs to it; calls of different principals never
/// do.
struct Principal {
    /// Unique across all issuers and login methods, e.g. "local" or "https://id.example|user-7".
    std::string id = "local";

    bool operator==(const Principal&) const = default;
};

}  // namespace gantry::gateway
