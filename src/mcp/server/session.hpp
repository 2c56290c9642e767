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

/// One legacy conversation, whatever carries it: what has been agreed since `initialize`, what is in flight, and what
/// its client is told unasked.
class LegacySession {
public:
    LegacySession(Backend& backend, PeerPtr peer) : backend(backend), peer(std::move(peer)) {}
    virtual ~LegacySession() = default;
    LegacySession(const LegacySession&) = delete;
    LegacySession& operator=(const LegacySession&) = delete;

    /// Sends a message that belongs to no request.
    virtual void tell(std::string message) = 0;

    /// Tells the client of changes from now on. kCancelled and the like when the context ended first.
    Task<Result<void>> watch(const Context& ctx);
    /// Stops telling, unless it has subscribed to something.
    void unwatch();
    /// The answers to resources/subscribe and unsubscribe.
    Task<Result<void>> subscribe(const Context& ctx, std::string uri);
    Task<Result<void>> unsubscribe(const Context& ctx, std::string uri);
    bool subscribed() const noexcept { return !uris_.empty(); }
    /// Ends everything: nobody listens any more.
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

/// What a face lets one client be told of without asking.
Interest interest_in(const Face& face);
/// Whether `uri` is one of `uris` or lies below one.
bool covers(const std::set<std::string>& uris, std::string_view uri);

}  // namespace gantry::mcp
