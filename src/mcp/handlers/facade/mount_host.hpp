#pragma once

#include <memory>

#include "io/loop.hpp"
#include "io/scope.hpp"
#include "mcp/handlers/facade/mounted_reply.hpp"
#include "mcp/handlers/server.hpp"
#include "mcp/server/http_endpoint.hpp"

namespace gantry::detail {

/// Serves the requests that come through Mount on the loop. Single loop; close() is required before destruction.
class MountHost {
public:
    MountHost(MountSettings settings, auth::Sealer& sealer, mcp::Server& server);

    void serve(std::shared_ptr<const MountRequest> request, std::shared_ptr<MountedReply> reply);
    /// Requests in flight may finish until `grace` is over; streams end with their last message. Ends in bounded time
    /// even if the program does not read the responses.
    Task<void> close(Duration grace);

private:
    Task<void> serve_one(std::shared_ptr<const MountRequest> request, std::shared_ptr<MountedReply> reply);

    mcp::Server& server_;
    mcp::HttpEndpoint endpoint_;
    Scope exchanges_;
    Loop::Alarm force_;
};

}  // namespace gantry::detail
