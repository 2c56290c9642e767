#pragma once

#include <memory>

#include "mcp/handlers/facade/bridge.hpp"
#include "mcp/handlers/facade/mount_host.hpp"

namespace gantry {

/// What every copy of a mount shares. Outlives the server's loop.
class Mount::Impl {
public:
    /// The host while it serves, else null. Loop thread only.
    struct Host {
        detail::MountHost* now = nullptr;
    };

    explicit Impl(std::shared_ptr<detail::Gate> to_loop) : gate(std::move(to_loop)) {}

    const std::shared_ptr<detail::Gate> gate;
    const std::shared_ptr<Host> host = std::make_shared<Host>();
};

}  // namespace gantry
