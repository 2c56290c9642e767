#pragma once

#include <string>

namespace gantry::gateway {

/// Who calls. Two calls of the same principal may share what belongs to that principal; two of different ones never do.
struct Principal {
    /// Unique among all issuers and ways of logging in, e.g. "local" or "https://id.example|user-7".
    std::string id = "local";

    bool operator==(const Principal&) const = default;
};

}  // namespace gantry::gateway
