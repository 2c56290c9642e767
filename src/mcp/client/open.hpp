#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mcp/client/session.hpp"
#include "mcp/client/settings.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

/// The ways to one server, tried in order.
struct Route {
    std::unique_ptr<Transport> transport;
    Wire wire = Wire::kPipe;
    /// HTTP+SSE for servers that know nothing newer; null when configuration rules it out.
    std::unique_ptr<Transport> http_sse;
    /// What the era cache knows the server by; may end up in a file, so it holds no secret. Empty: the transport's
    /// description.
    std::string identity;
};

/// Connects, finds out the era and opens a conversation on the newest revision both sides speak.
///
/// The probe is `server/discover`. Whatever answers it in a modern way is modern; authorization comes first; a
/// server error, silence over HTTP or a refused connection proves nothing and leads to one legacy attempt whose
/// verdict is not remembered; everything else means legacy. A child that exits on the probe is started again.
Task<Result<std::shared_ptr<Session>>> open_session(const Context& ctx, Route& route, const ClientSettings& settings,
                                                    std::function<void(const NotificationMessage&)> on_notification);

}  // namespace gantry::mcp
