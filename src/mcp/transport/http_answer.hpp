#pragma once

#include <string>
#include <string_view>

#include "io/http/client.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";

/// The media type of a Content-Type value: lower case, without parameters and blanks.
std::string media_type(std::string_view content_type);
std::string media_type(const http::Headers& headers);

/// A rejection in full: the error for write(), the details for era detection, and the body.
struct RefusedAnswer {
    Error error;
    HttpFailure detail;
    std::string body;
};

/// Reads the (bounded) body of an unexpected answer. A body that cannot be read within a few seconds counts as empty.
/// `what` names the request: "POST https://host/mcp".
Task<RefusedAnswer> read_refusal(const Context& ctx, http::Response response, std::string what);

/// The error code for a bare HTTP status. 5xx other than 503 means the request may have run.
ErrorCode code_for_status(int status) noexcept;

/// The JSON-RPC error in an error body, whatever id it has; empty if there is none.
std::optional<RpcError> rpc_error_in(std::string_view body);

/// 401, 403 and 407 concern the caller's credentials, never the request itself.
constexpr bool is_about_credentials(int status) noexcept {
    return status == 401 || status == 403 || status == 407;
}

}  // namespace gantry::mcp
