#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mcp/transport/connection.hpp"
#include "mcp/transport/shared_child.hpp"

namespace gantry::mcp {

/// Connections over HTTP to a child that is started for them. The child's exit ends each connection with a fatal
/// kConnection that has its exit status and its last lines of output.
class ChildHttpTransport final : public Transport {
public:
    /// Makes the HTTP transport for one connection, whose requests go through `client` to `url`.
    using Make = std::function<std::unique_ptr<Transport>(http::Client& client, const Url& url)>;

    ChildHttpTransport(std::shared_ptr<SharedChild> child, Make make);

    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    std::shared_ptr<SharedChild> child_;
    Make make_;
};

}  // namespace gantry::mcp
