#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/mcp/notifications.hpp"
#include "mcp/client/rpc.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/raw_message.hpp"

// Relays another client's request: bytes in, bytes out, only the envelope of the hop is replaced.

namespace gantry::mcp {

/// Receives what a server sends while it works on a relayed request. All hooks run on the client's loop and, except
/// on_request, must not block. Views are valid during the call.
struct RelayHooks {
    /// Params of notifications/progress, including the token. Called only with increasing progress.
    std::function<void(std::string_view params, const json::ParamsView& view)> on_progress = {};
    /// Params of notifications/message that can be attributed to this request.
    std::function<void(LogLevel level, std::string_view params)> on_log = {};
    /// Legacy: a request of the server (elicitation/create, sampling/createMessage, roots/list) that belongs to this
    /// one: it came on its stream, or no other request is in flight. `params` is JSON text, empty if absent; returns
    /// the result as JSON text. Unset: the server gets -32601.
    std::function<Task<Result<std::string>>(const Context& ctx, std::string method, std::string params)> on_request =
        {};
    /// Legacy HTTP: the server ended the stream before the answer and wants the client to reconnect after `retry`. The
    /// reconnect is done here; the hook may pass the hint on to the waiting client.
    std::function<void(Duration retry)> on_hang_up = {};
};

/// Size up to which a message is held in memory; larger ones are streamed or spooled.
inline constexpr std::size_t kHoldBytes = 1u << 20;

/// Another client's request, to be rewritten for this hop.
struct RelayRequest {
    std::string_view method;
    /// The params object as validated JSON text; empty if absent. Like all views here, must live until the relay ends.
    std::string_view params = {};
    json::ParamsView view = {};  // of params
    /// Replaces params.name or, if the method has none, params.uri. Empty: unchanged.
    std::string_view name = {};
    /// Replaces params.requestState; an empty string removes it. Unset: unchanged.
    std::optional<std::string_view> request_state = std::nullopt;
    /// The client capabilities to declare with a modern request: canonical JSON.
    std::string_view capabilities = "{}";
    std::optional<LogLevel> log_level = std::nullopt;
    /// Replaces `_meta.io.gantry/correlationId`, and is sent as X-Correlation-Id over Streamable HTTP. Empty: neither
    /// is sent. Written as it is: letters, digits and marks that mean nothing in JSON and in a header field.
    std::string_view correlation_id = {};
    /// Mcp-Param-*.
    HeaderList headers = {};
    CallTimes times = {};
    /// A larger result is streamed instead of held in memory, up to max_result_bytes.
    std::size_t hold_bytes = kHoldBytes;
    std::size_t max_result_bytes = 64u << 20;
    bool wants_progress = false;
    RelayHooks hooks = {};
};

/// The rest of a large answer, validated while it passes. Destroying it early cancels the request.
class RelayStream {
public:
    virtual ~RelayStream() = default;
    /// The next piece, valid until the next call; empty: complete and well-formed. kParse, kLimit: the server's answer
    /// was invalid, and the pieces passed on so far must be discarded.
    virtual Task<Result<std::optional<std::string_view>>> next(const Context& ctx) = 0;
};

struct RelayAnswer {
    /// A response with a result and this hop's id. Not set with `stream`.
    RawMessage message = {};
    /// A large answer: the bytes of the result's value only, from the first one on.
    std::unique_ptr<RelayStream> stream = {};
    /// The revision the result is encoded for.
    Revision revision = kLatestRevision;
};

}  // namespace gantry::mcp
