#pragma once

#include <memory>

#include "io/sync.hpp"
#include "mcp/transport/child_server.hpp"

namespace gantry::mcp {

/// Runs at most one child for all connections to it: started by the first, stopped by the last, and started again by
/// the next one if it ended by itself.
class SharedChild {
public:
    explicit SharedChild(ChildServerConfig config);

    /// The running child. Each success needs one release().
    Task<Result<std::shared_ptr<ChildServer>>> acquire(const Context& ctx);
    /// Stops the child if this was its last user.
    Task<void> release(std::shared_ptr<ChildServer> server);
    const ChildServerConfig& config() const noexcept { return config_; }

private:
    /// One child with the number of its users. A child that ended is replaced while some still hold it.
    struct Running {
        std::shared_ptr<ChildServer> server;
        std::size_t users = 0;
    };

    ChildServerConfig config_;
    std::vector<Running> running_;  // the newest last
    AsyncMutex starting_;
};

}  // namespace gantry::mcp
