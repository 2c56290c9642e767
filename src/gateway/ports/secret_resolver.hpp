#pragma once

#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// Fills in what a server's configuration only refers to. Asked at every connect and reconnect, so that a secret that
/// was changed counts from then on. Belongs to one loop.
class SecretResolver {
public:
    virtual ~SecretResolver() = default;

    /// `spec` with every reference replaced. kNotFound names exactly the missing ones; no message holds a value.
    virtual Task<Result<McpServerSpec>> resolve(const Context& ctx, McpServerSpec spec) = 0;
};

}  // namespace gantry::gateway
