#pragma once

#include <memory>

#include "auth/store/worker.hpp"
#include "base/redact/redactor.hpp"
#include "gateway/ports/secret_resolver.hpp"
#include "gateway/secrets/chain.hpp"

namespace gantry::gateway {

/// Resolves through the chain on a thread of its own, and tells the redactor every secret it hands out before it does.
class ChainResolver final : public SecretResolver {
public:
    /// `redactor` must outlive it; destroy it when no task waits in it any more.
    ChainResolver(SecretOptions options, Redactor& redactor);

    ~ChainResolver() override { chain_->interrupt(); }

    /// Where references lead from now on; what is being resolved ends where it began.
    void configure(SecretOptions options);

    Task<Result<McpServerSpec>> resolve(const Context& ctx, McpServerSpec spec) override;

private:
    Redactor& redactor_;
    SecretOptions options_;
    std::shared_ptr<SecretChain> chain_;  // a job that was given up still uses it
    auth::Worker worker_;
};

/// `lookup` that tells `redactor` what has to be kept secret.
Lookup remembered(Lookup lookup, Redactor& redactor);

}  // namespace gantry::gateway
