#pragma once

#include <memory>

#include "base/redact/redactor.hpp"
#include "gateway/ports/secret_resolver.hpp"
#include "gateway/secrets/chain.hpp"
#include "io/worker.hpp"

namespace gantry::gateway {

/// Resolves through the chain on a dedicated thread, and registers every secret with the redactor before returning it.
class ChainResolver final : public SecretResolver {
public:
    /// `redactor` must outlive it; destroy it only when no task waits in it.
    ChainResolver(SecretOptions options, Redactor& redactor);

    ~ChainResolver() override { chain_->interrupt(); }

    /// Replaces the chain from now on; lookups in progress finish on the previous one.
    void configure(SecretOptions options);

    Task<Result<McpServerSpec>> resolve(const Context& ctx, McpServerSpec spec) override;

private:
    Redactor& redactor_;
    SecretOptions options_;
    std::shared_ptr<SecretChain> chain_;  // shared, because an abandoned job still uses it
    Worker worker_;
};

/// Wraps `lookup` so that secret values are registered with `redactor`.
Lookup remembered(Lookup lookup, Redactor& redactor);

}  // namespace gantry::gateway
