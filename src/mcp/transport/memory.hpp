#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "mcp/transport/connection.hpp"
#include "mcp/transport/wire_tap.hpp"

namespace gantry::mcp {

struct MemoryOptions {
    /// Messages queued in each direction; a writer beyond that waits for the reader.
    std::size_t capacity = 256;
    /// Sees what the first (client) end sends and receives.
    WireTap tap = {};
};

/// Two connected ends within one loop. Messages are passed as values, without encoding. After closing one end, the
/// other drains its queue and then sees a clean end.
struct MemoryPair {
    std::unique_ptr<Connection> client;
    std::unique_ptr<Connection> server;
};
MemoryPair make_memory_pair(MemoryOptions options = {});

/// Reaches a server in this process: each connect() creates a pair and hands over the server's end.
class MemoryTransport final : public Transport {
public:
    using Accept = std::function<void(std::unique_ptr<Connection> server_end)>;
    explicit MemoryTransport(Accept accept, MemoryOptions options = {});

    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    Accept accept_;
    MemoryOptions options_;
};

}  // namespace gantry::mcp
