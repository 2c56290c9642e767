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

class RawHttpExchange;

/// An HTTP peer's answer that is not a JSON-RPC message. The error of write() describes it in words; this is for
/// decisions: era detection (status, body), authorization (challenge), recovery.
struct HttpFailure {
    int status = 0;
    /// Media type in lower case without parameters; empty when absent.
    std::string content_type = {};
    /// The first 2 KB of the body. Untrusted: inspect it, do not print it.
    std::string body_excerpt = {};
    /// The first challenge of a 401 or 403.
    std::string www_authenticate = {};
    /// The origin a rejected redirect pointed to.
    std::string redirect_origin = {};
    /// 404 on a request with a session id: initialize again, on this same connection. The
    /// transport has already dropped the old id.
    bool session_gone = false;
};

/// A message to send, with the parts only HTTP needs.
struct Outgoing {
    Message message;
    /// Extra header fields, e.g. Mcp-Param-*; ignored by transports without headers.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// Filled in if write() fails because of an HTTP peer's answer (then status != 0). Must live
    /// until write() returns; may be null.
    HttpFailure* failure = nullptr;
    /// Called with true when sending starts to wait for a user to log in, and with false when it stops. The caller
    /// should pause its timeout meanwhile: the login has its own. Must be callable until write() returns; may be empty.
    std::function<void(bool waiting)> on_login = {};
    /// The encoded message, if the caller already has it; `message` then only determines kind and id, and its params
    /// may be missing. Must be a single line if the transport is line-based. Empty: `message` is encoded.
    std::string text = {};
};

/// A received message, with the parts only HTTP has.
struct Incoming {
    Message message;
    /// The id of the request on whose response stream this arrived, if any. Lets the session
    /// attribute server requests and logs to a call.
    std::optional<RequestId> on_stream_of = {};
    /// Set if no answer to `on_stream_of` will ever arrive although write() succeeded (its response stream
    /// broke and could not be resumed). There is no message then: it is a notification without a method.
    std::optional<Error> lost = {};
    /// The HTTP status of a JSON body; 0 for everything else. Distinguishes a -32601 in a 404 from one in a 200.
    int http_status = 0;
    /// The size of the message on the wire; 0 if there is none.
    std::size_t bytes = 0;
    /// Set instead of `message` after prefer_raw(): the validated message as received.
    std::unique_ptr<RawMessage> raw = {};
    /// Like `raw`, for a message too large to hold in memory.
    std::unique_ptr<SpooledMessage> spooled = {};
};

/// A live stream of messages to and from one peer.
///
/// One task reads; any number may write. Framing, HTTP sessions and resumption belong here; matching
/// responses to requests belongs to the layer above.
class Connection {
public:
    virtual ~Connection() = default;

    /// Waits for the next message. Empty means the peer finished cleanly. An error with fatal() set ends
    /// the connection; any other concerns one message (an invalid line) and reading may continue.
    virtual Task<Result<std::optional<Incoming>>> read(const Context& ctx) = 0;

    /// Sends one message whole; concurrent writers never interleave. A failure that concerns only this
    /// request (HTTP status, rejected POST) is returned here; the answer itself arrives through read().
    ///
    /// HTTP: returns once the peer's response head has arrived (for a JSON answer, once it has been read), which may
    /// take as long as the call. 401, 403 and 407 are always failures; any other status whose body is a
    /// JSON-RPC error is delivered as the answer, with the request's id. After write() returned, its context
    /// is no longer used: the response stream lives until answered, abandon() or close().
    virtual Task<Result<void>> write(const Context& ctx, Outgoing outgoing) = 0;

    /// Stops waiting for the answer to `id`: HTTP closes its response stream, and a write() still waiting for the head
    /// fails with kCancelled (in the modern era that is the cancellation; a legacy session has sent
    /// notifications/cancelled before). No effect on other transports. Never blocks for long.
    virtual Task<void> abandon(const RequestId& id) = 0;

    /// The revision negotiated by initialize, so that later messages get the right headers. Empty: modern or not yet.
    virtual void set_revision(Revision revision) = 0;

    /// From now on read() may deliver Incoming::raw, so that no tree is built for messages that are only relayed, and
    /// may spool answers longer than `hold_bytes` to files (Incoming::spooled). A shared stream then also survives a
    /// message that is too long: only that message is lost. Trees may still be delivered.
    virtual void prefer_raw(std::size_t hold_bytes) { static_cast<void>(hold_bytes); }

    /// An alternative way to send requests whose answers bypass read(); null if there is none. Lives as long as
    /// the connection.
    virtual RawHttpExchange* lane() noexcept { return nullptr; }

    /// Closes both directions in bounded time and wakes a pending read(), which then returns empty. May be
    /// called twice. Must have completed before the connection is destroyed.
    virtual Task<void> close() = 0;
};

/// Knows how to reach one peer: a command to start, a URL to call. connect() may be called again after
/// a connection was lost.
class Transport {
public:
    virtual ~Transport() = default;
    virtual Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) = 0;
    /// For error messages and caches: "stdio npx -y …", "http https://host/mcp". Never contains a secret.
    virtual std::string describe() const = 0;
};

}  // namespace gantry::mcp
