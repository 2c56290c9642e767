#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gantry/mcp/values.hpp"
#include "mcp/server/call.hpp"

namespace gantry::mcp {

/// What is known of a request before its body is read. No headers on a pipe.
struct RequestOrigin {
    const http::Headers* headers = nullptr;
    std::string_view peer_address = {};
};

/// Why a client is rejected. `challenge` goes into WWW-Authenticate.
struct Refusal {
    int status = 401;
    std::string message;
    std::string challenge = {};
};

/// How a server describes itself in initialize and server/discover.
struct ServerProfile {
    Implementation self;
    /// In the newest form; the endpoint omits what the client's revision does not define.
    ServerCapabilities capabilities;
    std::optional<std::string> instructions = {};
    std::int64_t ttl_ms = 0;
    CacheScope cache_scope = CacheScope::kPrivate;
};

/// The changes a client wants to be notified of.
struct Interest {
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::set<std::string> uris = {};
    std::set<std::string> tasks = {};  // the tasks extension
};

/// A change at the server.
struct Change {
    enum class Kind : std::uint8_t { kTools, kPrompts, kResources, kUpdated, kTask };
    Kind kind = Kind::kTools;
    std::string uri = {};  // kUpdated
    Json task = {};        // kTask: the task in the extension's form, `taskId` included
};

/// Notifies one client of changes until destroyed.
class Watch {
public:
    virtual ~Watch() = default;
    /// The part of the interest that is actually served.
    virtual const Interest& honoured() const noexcept = 0;
    /// Adds one resource; completes once its changes will be reported. kNotFound if they never will be.
    virtual Task<Result<void>> add(const Context& ctx, std::string uri) = 0;
    virtual Task<void> remove(const Context& ctx, std::string uri) = 0;
};

/// What an endpoint serves: the handlers of a program (mcp::Server) or a gateway.
///
/// Endpoints handle the wire: framing, eras, sessions, streams, Host and Origin checks. They answer `initialize`,
/// `server/discover`, `ping`, `subscriptions/listen`, `logging/setLevel` and `resources/(un)subscribe` themselves and
/// forward everything else here. Called on the endpoint's loop; calls run concurrently.
class Backend {
public:
    virtual ~Backend() = default;

    virtual Task<std::expected<std::shared_ptr<const Identity>, Refusal>> identify(const Context& ctx,
                                                                                   const RequestOrigin& origin);

    /// Fast path of identify(): returns a known identity without suspending, or null; then call identify().
    virtual std::shared_ptr<const Identity> known(const RequestOrigin& origin);

    /// Never null.
    virtual Task<std::shared_ptr<const ServerProfile>> profile(const Context& ctx, const Peer& peer) = 0;

    /// Answers one request. The context ends when the client cancels or, in the modern era, disconnects.
    virtual Task<Answer> answer(const Context& ctx, const Call& call, ReplyChannel& line) = 0;

    /// A notification other than `initialized` and `cancelled`.
    virtual void heard(const Peer& peer, std::string_view method, const Json& params);

    /// `tell` is called on the loop, never from within watch(), until the watch is destroyed.
    virtual Task<Result<std::unique_ptr<Watch>>> watch(const Context& ctx, PeerPtr peer, Interest wanted,
                                                       std::function<void(const Change&)> tell) = 0;

    /// A legacy session is over: deleted, expired, or its connection closed.
    virtual void session_ended(const Peer& peer);
};

}  // namespace gantry::mcp
