#include "mcp/transport/shared_child.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace gantry::mcp {

SharedChild::SharedChild(ChildServerConfig config) : config_(std::move(config)) {}

Task<Result<std::shared_ptr<ChildServer>>> SharedChild::acquire(const Context& ctx) {
    GANTRY_CO_TRY(const auto guard, co_await starting_.lock(ctx));
    if (running_.empty() || running_.back().server->has_ended()) {
        GANTRY_CO_TRY(auto server, co_await ChildServer::start(ctx, config_));
        running_.push_back({.server = std::move(server)});
    }
    ++running_.back().users;
    co_return running_.back().server;
}

Task<void> SharedChild::release(std::shared_ptr<ChildServer> server) {
    const auto at = std::ranges::find(running_, server, &Running::server);
    if (--at->users > 0) co_return;
    running_.erase(at);
    co_await server->stop();
}

}  // namespace gantry::mcp
