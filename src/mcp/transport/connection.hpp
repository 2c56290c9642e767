#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/context.hpp"
#include "io/task.hpp"
#include "mcp/protocol/message.hpp"

namespace gantry::mcp {

/// What the session wants carried, with what only HTTP needs on top.
struct Outgoing {
    Message message;
    /// Extra header fields, e.g. Mcp-Param-*; ignored by transports without headers.
    std::vector<std::pair<std::string, std::string>> headers;
};

/// What arrived, with what only HTTP knows on top.
struct Incoming {
    Message message;
    /// The id of the request on whose response stream this came, if it came on one. Lets the session
    /// attribute server requests and logs to a call.
    std::optional<RequestId> on_stream_of;
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
    virtual Task<Result<void>> write(const Context& ctx, Outgoing outgoing) = 0;

    /// Gives up waiting for the answer to `id`: modern HTTP closes its response stream, others do nothing
    /// (the session has sent notifications/cancelled). Never blocks for long.
    virtual Task<void> abandon(const RequestId& id) = 0;

    /// What initialize agreed on, so that later messages carry the right headers. Empty: modern or not yet.
    virtual void set_revision(Revision revision) = 0;

    /// Ends both directions within a bounded time and wakes a pending read(). May be called twice.
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
