#pragma once

#include "gateway/ports/authenticator.hpp"

namespace gantry::gateway {

/// Treats every caller as the operator: for pipes and loopback listeners, where reaching the gateway is proof enough.
/// Other authenticators replace it behind the same port.
class LocalTrust final : public Authenticator {
public:
    Task<Result<std::shared_ptr<const Principal>>> authenticate(const Context& ctx,
                                                                const Credentials& credentials) override;
    std::shared_ptr<const Principal> known(const Credentials&) const override { return self_; }

private:
    std::shared_ptr<const Principal> self_ = std::make_shared<const Principal>();
};

}  // namespace gantry::gateway
