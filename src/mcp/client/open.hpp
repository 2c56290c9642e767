#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mcp/client/session.hpp"
#include "mcp/client/settings.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

/// The transports to one server, tried in order.
struct Route {
    std::unique_ptr<Transport> transport;
    Wire wire = Wire::kPipe;
    /// HTTP+SSE for servers that support nothing newer; null if disabled by configuration.
    std::unique_ptr<Transport> http_sse;
    /// Key of the server in the era cache. May be written to a file, so it holds no secret. Empty: the transport's
    /// description.
    std::string identity;
};

/// Connects, detects the era and opens a session on the newest revision both sides support.
///
/// The probe is `server/discover`. A modern answer of any kind means modern; authorization comes first; a server error,
/// a timeout over HTTP or a refused connection is inconclusive and leads to one legacy attempt whose verdict is not
/// cached; everything else means legacy. A child that exits on the probe is restarted.
Task<Result<std::shared_ptr<Session>>> open_session(const Context& ctx, Route& route, const ClientSettings& settings,
                                                    std::function<void(const NotificationMessage&)> on_notification);

}  // namespace gantry::mcp
