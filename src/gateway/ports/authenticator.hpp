#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/model/principal.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// What a caller shows of itself.
struct Credentials {
    /// The Authorization field; empty when absent.
    std::string_view authorization = {};
    /// Where it calls from; empty on a pipe.
    std::string_view peer_address = {};
};

/// Says who calls. kUnauthorized when it cannot.
class Authenticator {
public:
    virtual ~Authenticator() = default;
    virtual Task<Result<std::shared_ptr<const Principal>>> authenticate(const Context& ctx,
                                                                        const Credentials& credentials) = 0;
    /// The same where nothing has to be waited for: whom everybody is taken for, a token that was verified before.
    /// Null: ask authenticate().
    virtual std::shared_ptr<const Principal> known(const Credentials& credentials) const {
        static_cast<void>(credentials);
        return nullptr;
    }
};

}  // namespace gantry::gateway
