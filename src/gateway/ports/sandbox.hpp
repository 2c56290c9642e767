#pragma once

#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"
#include "io/process/process.hpp"

namespace gantry::gateway {

/// Keeps local servers apart from the machine and from each other.
class Sandbox {
public:
    virtual ~Sandbox() = default;
    /// Makes `command` the confined start of `server`: its environment, folders, limits, network. Called for every
    /// start, so it looks at the machine as it is then. An error names what this kernel lacks.
    virtual Result<void> confine(const McpServerSpec& server, process::Command& command) = 0;
};

}  // namespace gantry::gateway
