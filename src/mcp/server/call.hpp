#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/scan.hpp"
#include "gantry/mcp/notifications.hpp"
#include "io/context.hpp"
#include "io/http/headers.hpp"
#include "io/task.hpp"
#include "mcp/protocol/message.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/server/peer.hpp"

namespace gantry::mcp {

/// One validated request of a client: its sender, and its bytes as received. They are parsed into a tree only on
/// demand. Views refer to `text`, which lives until the answer has been sent.
struct Call {
    PeerPtr peer;
    std::string_view text;
    const json::EnvelopeView& view;  // of text
    std::string_view method;
    /// The method as the peer's revision defines it; null: an extension's method, or unknown.
    const MethodInfo* info = nullptr;
    /// Minimum level of log messages for this client: per request (modern) or per session (legacy). Empty: none.
    std::optional<LogLevel> log_level = {};
    /// Null on a pipe.
    const http::Headers* headers = nullptr;

    /// The id as spelt by the client, to be echoed.
    std::string_view id() const noexcept { return view.id.raw(); }
    /// The params as a tree; null if absent. Cannot fail, because the text has been validated.
    Json params() const;
};

/// The remainder of an answer that is too large to hold in memory.
class AnswerStream {
public:
    virtual ~AnswerStream() = default;
    /// The next piece, valid until the next call; empty: complete. After an error the client's connection is closed, so
    /// that a partial answer cannot be mistaken for a complete one.
    virtual Task<Result<std::optional<std::string_view>>> next(const Context& ctx) = 0;
};

/// The answer to a request: one JSON-RPC response, ready to send.
struct Answer {
    /// The whole message including the request's id; with `rest`, only its beginning. Empty: nothing is sent, because
    /// the client cancelled.
    std::string message;
    /// The JSON-RPC error code, 0 for a result. Determines the HTTP status.
    std::int64_t error = 0;
    std::unique_ptr<AnswerStream> rest = {};
    /// A result shared by many answers, e.g. a list: sent between `message` and a closing brace, never copied.
    std::shared_ptr<const std::string> shared_result = {};

    /// `result` is one JSON object.
    static Answer result(const Call& call, std::string_view result);
    static Answer result(const Call& call, const Json& result);
    static Answer result(const Call& call, std::shared_ptr<const std::string> result);
    static Answer failure(const Call& call, const RpcError& error);
    /// Encodes one of our errors: kRpc as the peer sent it, kInvalidArgument, kNotFound and kSchema as -32602, all
    /// others as -32603.
    static Answer failure(const Call& call, const Error& error);
};

/// Sends messages to the client while its request is being served. Valid until the answer is returned.
class ReplyChannel {
public:
    virtual ~ReplyChannel() = default;

    /// Sends a notification that belongs to this request: one complete JSON-RPC message on one line. Never blocks:
    /// returns false and drops it if the client reads too slowly or there is no stream (JSON-only mode).
    virtual bool notify(std::string message) = 0;

    /// Waits until notify() has room again; for handlers that send many notifications.
    virtual Task<Result<void>> room(const Context& ctx) = 0;

    /// Whether the client can be asked while it waits: legacy, with a stream. A modern client is asked by answering
    /// `input_required`.
    virtual bool can_ask() const noexcept = 0;

    /// Sends a request to the client (`params` is JSON text) and waits for its result as JSON text. kRpc if it answered
    /// with an error, kUnsupported if can_ask() is false. Precondition: the client declared the capability. If the
    /// context ends first, the client gets notifications/cancelled.
    virtual Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) = 0;

    /// Legacy HTTP with event ids: ends the response early and asks the client to reconnect after `retry`; the rest,
    /// including the answer, is kept in the event log. No effect otherwise.
    virtual void hang_up(Duration retry) = 0;
};

}  // namespace gantry::mcp
