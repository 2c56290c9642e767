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

// Passing somebody else's request on: bytes in, bytes out, the envelope of the hop exchanged on the way.

namespace gantry::mcp {

/// What a server says while it works on a relayed request. All run on the client's loop and must not wait, but for
/// on_request. Views are valid during the call.
struct RelayHooks {
    /// Params of notifications/progress, its token included. Called only with growing progress.
    std::function<void(std::string_view params, const json::ParamsView& view)> on_progress = {};
    /// Params of notifications/message that can be attributed to this request.
    std::function<void(LogLevel level, std::string_view params)> on_log = {};
    /// Legacy: a request of the server (elicitation/create, sampling/createMessage, roots/list) that belongs to this
    /// one: it came on its stream, or no other request is in flight. `params` is JSON text, empty when absent; what
    /// comes back is the result as JSON text. Unset: the server gets -32601.
    std::function<Task<Result<std::string>>(const Context& ctx, std::string method, std::string params)> on_request =
        {};
    /// Legacy HTTP: the server ended the stream before the answer and wants to be asked again after `retry`. That is
    /// done here; whoever waits may be told the same.
    std::function<void(Duration retry)> on_hang_up = {};
};

/// What is held of a message in memory; beyond that it is streamed or spooled.
inline constexpr std::size_t kHoldBytes = 1u << 20;

/// Somebody's request, to be said again in this hop's terms.
struct RelayRequest {
    std::string_view method;
    /// The params object as JSON text, checked; empty when absent. Must live until the relay ends, like all views here.
    std::string_view params = {};
    json::ParamsView view = {};  // of params
    /// Goes in the place of params.name or, where the method has none, params.uri. Empty: stays.
    std::string_view name = {};
    /// Replaces params.requestState; an empty text removes it. Unset: stays as it is.
    std::optional<std::string_view> request_state = std::nullopt;
    /// What the client may be asked for, declared with a modern request: canonical JSON.
    std::string_view capabilities = "{}";
    std::optional<LogLevel> log_level = std::nullopt;
    /// Mcp-Param-*.
    HeaderList headers = {};
    CallTimes times = {};
    /// A result beyond this many bytes is not held but streamed, up to max_result_bytes.
    std::size_t hold_bytes = kHoldBytes;
    std::size_t max_result_bytes = 64u << 20;
    bool wants_progress = false;
    RelayHooks hooks = {};
};

/// The rest of a large answer, checked while it passes. Dropping it early cancels the request.
class RelayStream {
public:
    virtual ~RelayStream() = default;
    /// The next piece, valid until the next call; empty: complete and well-formed. kParse, kLimit: the server's answer
    /// was not what it may be, and what has been passed on is worth nothing.
    virtual Task<Result<std::optional<std::string_view>>> next(const Context& ctx) = 0;
};

struct RelayAnswer {
    /// A response with a result, its id still this hop's. Not set with `stream`.
    RawMessage message = {};
    /// A large answer: bytes of the result's value alone, from its first byte on.
    std::unique_ptr<RelayStream> stream = {};
    /// In whose terms the result is.
    Revision revision = kLatestRevision;
};

}  // namespace gantry::mcp
