#pragma once

#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"
#include "io/process/process.hpp"

namespace gantry::gateway {

/// Isolates local servers from the machine and from each other.
class Sandbox {
public:
    virtual ~Sandbox() = default;
    /// Turns `command` into the confined start of `server`: environment, folders, limits and network. Called for every
    /// start, so it sees the machine as it is at that time. An error names what this kernel lacks.
    virtual Result<void> confine(const McpServerSpec& server, process::Command& command) = 0;
};

}  // namespace gantry::gateway
