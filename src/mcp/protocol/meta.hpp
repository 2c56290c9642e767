#pragma once

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/values.hpp"

// `_meta`: what a modern request says about itself, and the few keys both eras share.

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
}  // namespace meta_key

/// What one request says about the client that sends it.
struct RequestMeta {
    ClientCapabilities capabilities = {};
    std::optional<Implementation> client_info = {};
    std::optional<LogLevel> log_level = {};  ///< modern: opts in to log messages for this request
    std::optional<ProgressToken> progress_token = {};
};

/// Writes `meta` into params._meta, making params an object if it was null. Modern: all of it, with the
/// version. Legacy: the progress token only. Keys of the envelope that were there before are replaced or
/// removed, since they spoke for another hop; every other key stays.
void stamp_meta(Json& params, Revision revision, const RequestMeta& meta);

/// Whether the request claims to be modern: its `_meta` names a protocol version. Says nothing about
/// whether the claim is good.
bool claims_modern(const Json& params) noexcept;

struct ReceivedMeta : RequestMeta {
    std::string protocol_version = {};  ///< as claimed; may be one we do not speak
};

/// Reads a modern request's envelope. The error (kProtocol) names the key and is what a server answers
/// with -32602.
Result<ReceivedMeta> read_meta(const Json& params);

/// Who answered, from a result's `_meta`. Empty if absent or unusable: it is for display only.
std::optional<Implementation> read_server_info(const JsonObject& meta);
void stamp_server_info(JsonObject& meta, const Implementation& self);

/// The subscription a notification or listen result belongs to.
std::optional<RequestId> read_subscription_id(const JsonObject& meta);
std::optional<RequestId> read_subscription_id(const Json& params_or_result);

/// The task of 2025-11-25 a message belongs to.
std::optional<std::string> read_related_task(const JsonObject& meta);
void stamp_related_task(JsonObject& meta, std::string_view task_id);

/// Removes what describes one hop only: version, capabilities, peers' identities, log level,
/// subscription id. Progress token, trace context and vendor keys stay.
void strip_envelope(JsonObject& meta);

/// `[label(.label)*/]name` as the specification spells keys.
bool is_valid_meta_key(std::string_view key) noexcept;
/// A prefix whose second label is `modelcontextprotocol` or `mcp`.
bool is_reserved_meta_key(std::string_view key) noexcept;

}  // namespace gantry::mcp
