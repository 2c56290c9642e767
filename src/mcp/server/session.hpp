#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "io/sync.hpp"
#include "mcp/server/asks.hpp"
#include "mcp/server/backend.hpp"
#include "mcp/server/in_flight.hpp"

namespace gantry::mcp {

/// One legacy session on any transport: what was negotiated since `initialize`, the calls in flight, and the
/// notifications its client receives.
class LegacySession {
public:
    LegacySession(Backend& backend, PeerPtr peer) : backend(backend), peer(std::move(peer)) {}
    virtual ~LegacySession() = default;
    LegacySession(const LegacySession&) = delete;
    LegacySession& operator=(const LegacySession&) = delete;

    /// Sends a message that belongs to no request.
    virtual void tell(std::string message) = 0;

    /// Starts notifying the client of changes. kCancelled and the like if the context ends first.
    Task<Result<void>> watch(const Context& ctx);
    /// Stops notifying, unless there are subscriptions.
    void unwatch();
    /// Handle resources/subscribe and unsubscribe.
    Task<Result<void>> subscribe(const Context& ctx, std::string uri);
    Task<Result<void>> unsubscribe(const Context& ctx, std::string uri);
    bool subscribed() const noexcept { return !uris_.empty(); }
    /// Ends the session: the client is gone.
    virtual void end();

    Backend& backend;
    PeerPtr peer;
    std::optional<LogLevel> level;
    CallList calls;
    Asks asks;

private:
    void changed(const Change& change);

    std::shared_ptr<Watch> watch_;
    std::set<std::string> uris_;
    bool opening_ = false;
    bool over_ = false;
    Event opened_;
};

/// The changes a server profile allows to report to one client unsolicited.
Interest interest_in(const ServerProfile& profile);
/// Whether `uri` is one of `uris` or below one of them.
bool covers(const std::set<std::string>& uris, std::string_view uri);

}  // namespace gantry::mcp
