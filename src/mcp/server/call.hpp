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

/// One request of a client that passed the ladder: who sends it, and its bytes as they came. Nothing is parsed into
/// a tree before somebody needs to look inside. Views refer to `text`, which lives until the answer has been sent.
struct Call {
    PeerPtr peer;
    std::string_view text;
    const json::EnvelopeView& view;  // of text
    std::string_view method;
    /// How the peer's revision knows the method; null: an extension's, or nobody's.
    const MethodInfo* info = nullptr;
    /// What it wants to hear: the request's own wish (modern) or its session's (legacy). Empty: nothing.
    std::optional<LogLevel> log_level = {};
    /// Null on a pipe.
    const http::Headers* headers = nullptr;

    /// The id as it was spelt, to be echoed.
    std::string_view id() const noexcept { return view.id.raw(); }
    /// The params as a tree; null when absent. The text has been checked, so this cannot fail.
    Json params() const;
};

/// The rest of an answer that is too large to hold.
class AnswerStream {
public:
    virtual ~AnswerStream() = default;
    /// The next piece, valid until the next call; empty: complete. After an error the client's connection is cut, so
    /// that nobody takes the answer for whole.
    virtual Task<Result<std::optional<std::string_view>>> next(const Context& ctx) = 0;
};

/// What a request is answered with: one JSON-RPC response, ready to be sent.
struct Answer {
    /// The whole message with the request's id; with `rest` only its beginning. Empty: nothing is sent, because the
    /// client no longer wants to know.
    std::string message;
    /// The code when it is an error, else 0. Decides the HTTP status.
    std::int64_t error = 0;
    std::unique_ptr<AnswerStream> rest = {};
    /// A result many answers share, e.g. a list: sent between `message` and a closing brace, never copied.
    std::shared_ptr<const std::string> shared_result = {};

    /// `result` is one JSON object.
    static Answer result(const Call& call, std::string_view result);
    static Answer result(const Call& call, const Json& result);
    static Answer result(const Call& call, std::shared_ptr<const std::string> result);
    static Answer failure(const Call& call, const RpcError& error);
    /// An error of ours: kRpc as the peer said it, kInvalidArgument, kNotFound and kSchema as -32602, the rest as
    /// -32603.
    static Answer failure(const Call& call, const Error& error);
};

/// The way back to the client while its request is being served. Valid until the answer is returned.
class ReplyLine {
public:
    virtual ~ReplyLine() = default;

    /// Sends a notification that belongs to this request: one complete JSON-RPC message in one line. Never waits:
    /// false when the client reads too slowly or cannot be told (no stream in JSON-only mode); it is then dropped.
    virtual bool notify(std::string message) = 0;

    /// Waits until notify() has room, for a handler that has much to tell.
    virtual Task<Result<void>> room(const Context& ctx) = 0;

    /// Whether the client can be asked while it waits: legacy, with a stream. A modern client is asked by answering
    /// `input_required`.
    virtual bool can_ask() const noexcept = 0;

    /// Sends a request to the client (`params` is JSON text) and waits for its result, as JSON text. kRpc when it
    /// answered with an error, kUnsupported when can_ask() is false. Whoever asks has checked that the client declared
    /// the capability. Giving up (the context ends) tells the client with notifications/cancelled.
    virtual Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) = 0;

    /// Legacy HTTP with event ids: ends the response early and tells the client to come back after `retry`; the rest,
    /// answer included, waits in the event log. No effect elsewhere.
    virtual void hang_up(Duration retry) = 0;
};

}  // namespace gantry::mcp
