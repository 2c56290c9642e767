#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/context.hpp"
#include "io/task.hpp"
#include "mcp/protocol/message.hpp"
#include "mcp/protocol/raw_message.hpp"
#include "mcp/transport/spooled_message.hpp"

namespace gantry::mcp {

class HttpLane;

/// What an HTTP peer answered instead of a JSON-RPC message. The error of write() says it in words; this is
/// for whoever has to decide on it: the era detector (status, body), authorization (challenge), recovery.
struct HttpFailure {
    int status = 0;
    /// Media type in lower case without parameters; empty when absent.
    std::string content_type = {};
    /// The first 2 KB of the body. May hold anything: look at it, do not print it.
    std::string body_excerpt = {};
    /// The first challenge of a 401 or 403.
    std::string www_authenticate = {};
    /// Where a refused redirect pointed, as an origin.
    std::string redirect_origin = {};
    /// 404 on a request that carried a session id: initialize again, on this very connection. The
    /// transport has already forgotten the old id.
    bool session_gone = false;
};

/// What the session wants carried, with what only HTTP needs on top.
struct Outgoing {
    Message message;
    /// Extra header fields, e.g. Mcp-Param-*; ignored by transports without headers.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// Filled in when write() fails because of what an HTTP peer answered (status != 0 tells). Must live
    /// until write() returns; null when nobody wants to know.
    HttpFailure* failure = nullptr;
    /// Told when sending begins (true) and stops (false) waiting for a person to log in. The time limit of the call
    /// should not count in between: the login has its own. Must be callable until write() returns; may be empty.
    std::function<void(bool waiting)> on_login = {};
    /// The message as it goes on the wire, for whoever has it already; `message` then only says what kind it is and
    /// whose, and its params may be missing. Must be one line where lines count. Empty: `message` is encoded.
    std::string text = {};
};

/// What arrived, with what only HTTP knows on top.
struct Incoming {
    Message message;
    /// The id of the request on whose response stream this came, if it came on one. Lets the session
    /// attribute server requests and logs to a call.
    std::optional<RequestId> on_stream_of = {};
    /// Set when no answer to `on_stream_of` will ever come although write() succeeded (its response stream
    /// broke and could not be resumed). There is no message then: it is a notification without a method.
    std::optional<Error> lost = {};
    /// The HTTP status a JSON body came with; 0 for everything else. Tells a -32601 in a 404 from one in a 200.
    int http_status = 0;
    /// The size of the message on the wire; 0 where there is none.
    std::size_t bytes = 0;
    /// Set instead of `message` on a connection that was told prefer_raw(): the message as it came, checked.
    std::unique_ptr<RawMessage> raw = {};
    /// The same for one too large to hold.
    std::unique_ptr<SpooledMessage> spooled = {};
};

/// A live stream of messages to and from one peer.
///
/// One task reads; any number may write. Framing, HTTP sessions and resumption belong here; matching
/// responses to requests belongs to the session above.
class Connection {
public:
    virtual ~Connection() = default;

    /// Waits for the next message. Empty means the peer finished cleanly. An error with fatal() set ends
    /// the connection; any other concerns one message (an unparsable line) and reading goes on.
    virtual Task<Result<std::optional<Incoming>>> read(const Context& ctx) = 0;

    /// Sends one message whole; concurrent writers never interleave. A failure that concerns only this
    /// request (HTTP status, refused POST) is the result here; the answer itself arrives by read().
    ///
    /// HTTP: returns when the peer's response head is there (a JSON answer: when it has been read), which may
    /// take as long as the call. 401, 403 and 407 are always failures; any other status whose body is a
    /// JSON-RPC error is delivered as the answer, with the request's id. Once write() has returned, its context
    /// no longer matters: the response stream lives until answered, abandon() or close().
    virtual Task<Result<void>> write(const Context& ctx, Outgoing outgoing) = 0;

    /// Gives up waiting for the answer to `id`: HTTP closes its response stream and a write() still waiting
    /// for the head ends with kCancelled (in the modern era that is the cancellation; a legacy session has sent
    /// notifications/cancelled before). Others do nothing. Never blocks for long.
    virtual Task<void> abandon(const RequestId& id) = 0;

    /// What initialize agreed on, so that later messages carry the right headers. Empty: modern or not yet.
    virtual void set_revision(Revision revision) = 0;

    /// From now on read() may deliver Incoming::raw, so that no tree is built for what is only passed on, and may put
    /// answers longer than `hold_bytes` into files (Incoming::spooled). A shared stream then also survives a message
    /// that is too long: that one is lost. Trees may still come.
    virtual void prefer_raw(std::size_t hold_bytes) { static_cast<void>(hold_bytes); }

    /// Another way to send requests, whose answers do not come by read(); null where there is none. Lives as long as
    /// the connection.
    virtual HttpLane* lane() noexcept { return nullptr; }

    /// Ends both directions within a bounded time and wakes a pending read(), which then answers empty. May be
    /// called twice. Must have returned before the connection is destroyed.
    virtual Task<void> close() = 0;
};

/// Knows how to reach one peer: a command to start, a URL to call. connect() may be called again after
/// a connection was lost.
class Transport {
public:
    virtual ~Transport() = default;
    virtual Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) = 0;
    /// For messages and caches: "stdio npx -y …", "http https://host/mcp". Never holds a secret.
    virtual std::string describe() const = 0;
};

}  // namespace gantry::mcp
