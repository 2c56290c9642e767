#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "mcp/server/backend.hpp"

// Text of the messages an endpoint composes itself.

namespace gantry::mcp::wire {

/// Appends a response up to its result's value; a closing brace must follow the value.
void append_result_head(std::string& out, std::string_view raw_id);
/// `raw_id` as spelt by the client; empty: no id, because the request's could not be read.
std::string error_message(std::string_view raw_id, const RpcError& error);
/// kRpc as the peer sent it; the caller's mistakes as -32602; all others as -32603.
RpcError to_rpc_error(const Error& error);

/// `params` is JSON text; empty: none.
std::string notification(std::string_view method, std::string_view params = {});
std::string request(std::string_view raw_id, std::string_view method, std::string_view params);
/// {"requestId":…,"reason":…}, the params of notifications/cancelled.
std::string cancelled(std::string_view raw_id, std::string_view reason);

/// The notification of a change. `subscription` is the raw id of the modern listen it belongs to; empty for legacy
/// clients. Returns empty if that era has no such notification.
std::string change(const Change& change, std::string_view subscription);

/// Appends all parts of an answer except `rest`.
void append_whole(std::string& out, const Answer& answer);
/// Appends `json` with line ends replaced by spaces, for framings that end at one.
void append_one_line(std::string& out, std::string_view json);

}  // namespace gantry::mcp::wire
