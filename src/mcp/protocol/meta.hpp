#pragma once

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/values.hpp"

// `_meta`: how a modern request describes itself, and the few keys common to both eras.

namespace gantry::mcp {

namespace meta_key {
inline constexpr std::string_view kProtocolVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kRelatedTask = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view kProgressToken = "progressToken";
inline constexpr std::string_view kTraceParent = "traceparent";
inline constexpr std::string_view kTraceState = "tracestate";
inline constexpr std::string_view kBaggage = "baggage";
/// Of the gateway: under which id the call is recorded.
inline constexpr std::string_view kCorrelationId = "io.gantry/correlationId";
}  // namespace meta_key

/// What a request states about its client.
struct RequestMeta {
    ClientCapabilities capabilities = {};
    std::optional<Implementation> client_info = {};
    std::optional<LogLevel> log_level = {};  ///< modern: opts in to log messages for this request
    std::optional<ProgressToken> progress_token = {};
};

/// Writes `meta` into params._meta, making params an object if it was null. Modern: all of it, with the
/// version. Legacy: the progress token only. Existing envelope keys are replaced or removed, since they describe
/// another hop; all other keys are kept.
void stamp_meta(Json& params, Revision revision, const RequestMeta& meta);

/// Whether the request claims to be modern: its `_meta` names a protocol version. The claim is not validated.
bool claims_modern(const Json& params) noexcept;

struct ReceivedMeta : RequestMeta {
    std::string protocol_version = {};  ///< as claimed; possibly one we do not support
};

/// Decodes a modern request's envelope. The error (kProtocol) names the key; a server answers it with -32602.
Result<ReceivedMeta> read_meta(const Json& params);

/// The server's identity from a result's `_meta`. Empty if absent or invalid: it is for display only.
std::optional<Implementation> read_server_info(const JsonObject& meta);
void stamp_server_info(JsonObject& meta, const Implementation& self);

/// The subscription that a notification or listen result belongs to.
std::optional<RequestId> read_subscription_id(const JsonObject& meta);
std::optional<RequestId> read_subscription_id(const Json& params_or_result);

/// The 2025-11-25 task a message belongs to.
std::optional<std::string> read_related_task(const JsonObject& meta);
void stamp_related_task(JsonObject& meta, std::string_view task_id);

/// Removes what describes a single hop: version, capabilities, peers' identities, log level, subscription id. Progress
/// token, trace context and vendor keys are kept.
void strip_envelope(JsonObject& meta);

/// `[label(.label)*/]name` as specified for keys.
bool is_valid_meta_key(std::string_view key) noexcept;
/// Whether the prefix's second label is `modelcontextprotocol` or `mcp`.
bool is_reserved_meta_key(std::string_view key) noexcept;

}  // namespace gantry::mcp
