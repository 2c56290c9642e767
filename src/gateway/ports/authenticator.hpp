#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/model/principal.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// What a caller presents to identify itself.
struct Credentials {
    /// The Authorization field; empty when absent.
    std::string_view authorization = {};
    /// The caller's network address; empty on a pipe.
    std::string_view peer_address = {};
};

/// Identifies the caller. Fails with kUnauthorized when it cannot.
class Authenticator {
public:
    virtual ~Authenticator() = default;
    virtual Task<Result<std::shared_ptr<const Principal>>> authenticate(const Context& ctx,
                                                                        const Credentials& credentials) = 0;
    /// Fast path: returns a principal without suspending (a fixed local identity, or a token that was verified before),
    /// or null; then call authenticate().
    virtual std::shared_ptr<const Principal> known(const Credentials& credentials) const {
        static_cast<void>(credentials);
        return nullptr;
    }
};

}  // namespace gantry::gateway
