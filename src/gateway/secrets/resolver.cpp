#include "gateway/secrets/resolver.hpp"

#include "gateway/secrets/confidential.hpp"

namespace gantry::gateway {

Lookup remembered(Lookup lookup, Redactor& redactor) {
    return [lookup = std::move(lookup), &redactor](const Reference& reference) {
        auto found = lookup(reference);
        if (found && *found && is_confidential(reference, **found)) redactor.add(**found);
        return found;
    };
}

ChainResolver::ChainResolver(SecretOptions options, Redactor& redactor)
    : redactor_(redactor), options_(std::move(options)), chain_(std::make_shared<SecretChain>(options_)) {}

void ChainResolver::configure(SecretOptions options) {
    if (options == options_) return;
    options_ = std::move(options);
    chain_ = std::make_shared<SecretChain>(options_);
}

Task<Result<McpServerSpec>> ChainResolver::resolve(const Context& ctx, McpServerSpec spec) {
    for (const std::string& value : confidential_values(spec)) {
        if (!has_references(value)) redactor_.add(value);
    }
    if (!has_references(spec)) co_return spec;
    auto job = [chain = chain_, &redactor = redactor_, spec = std::move(spec)] {
        return expand(spec, remembered(chain->lookup(), redactor));
    };
    co_return co_await worker_.run<McpServerSpec>(ctx, std::move(job));
}

}  // namespace gantry::gateway
