#pragma once

#include <span>

#include "gantry/error.hpp"
#include "gantry/mcp/elicitation.hpp"
#include "gantry/mcp/lifecycle.hpp"

// JSON-RPC errors of MCP: construction, and access to their data.

namespace gantry::mcp {

namespace rpc_code {
inline constexpr std::int64_t kParse = -32700;
inline constexpr std::int64_t kInvalidRequest = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternal = -32603;
inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;
/// Legacy only: never sent on a modern connection, but still accepted there.
inline constexpr std::int64_t kResourceNotFound = -32002;
inline constexpr std::int64_t kUrlElicitationRequired = -32042;
}  // namespace rpc_code

RpcError parse_error(std::string message);
RpcError invalid_request(std::string message);
RpcError method_not_found(std::string_view method);
RpcError invalid_params(std::string message);
RpcError internal_error(std::string message);
RpcError header_mismatch(std::string message);
RpcError missing_capability(const ClientCapabilities& required, std::string message);
RpcError unsupported_version(std::string_view requested, std::span<const Revision> supported);
/// -32002 for legacy peers, -32602 for modern ones, with the URI in data either way.
RpcError resource_not_found(std::string_view uri, Revision revision);
/// 2025-11-25 only.
RpcError url_elicitation_required(std::span<const ElicitParams> elicitations);

struct UnsupportedVersion {
    std::vector<std::string> supported = {};
    std::string requested = {};
};
/// Data of -32022. Empty if the code differs or the data names no versions.
std::optional<UnsupportedVersion> as_unsupported_version(const RpcError& error);
/// The versions the error's data lists as supported, whatever its code: servers that reject `initialize` use several.
std::vector<std::string> versions_named(const RpcError& error);
/// Data of -32021.
std::optional<ClientCapabilities> as_missing_capability(const RpcError& error);
/// Data of -32042: the URLs to visit first. Empty if the code differs.
std::vector<ElicitParams> as_url_elicitations(const RpcError& error);
/// The URI in a "no such resource" error of either era.
std::optional<std::string> as_missing_resource(const RpcError& error);

/// The peer's error as ours: kRpc, "tools/call: the peer answered -32602: Unknown tool".
/// The peer's text is truncated to 500 bytes. Without one, text and rpc()->message are the default text of the code.
Error to_error(RpcError error, std::string_view method);

}  // namespace gantry::mcp
