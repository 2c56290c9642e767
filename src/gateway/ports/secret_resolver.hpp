#pragma once

#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// Replaces the secret references in a server's configuration. Called on every connect and reconnect, so a changed
/// secret takes effect from then on. Belongs to one loop.
class SecretResolver {
public:
    virtual ~SecretResolver() = default;

    /// Returns `spec` with every reference replaced. kNotFound names exactly the missing ones; no message contains a
    /// value.
    virtual Task<Result<McpServerSpec>> resolve(const Context& ctx, McpServerSpec spec) = 0;
};

}  // namespace gantry::gateway
