#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "mcp/server/backend.hpp"

// The texts of the messages an endpoint writes itself.

namespace gantry::mcp::wire {

/// Up to where the result begins; a closing brace must follow it.
void append_result_head(std::string& out, std::string_view raw_id);
/// `raw_id` as the client spelt it; empty: the answer has no id, because the request's could not be read.
std::string error_message(std::string_view raw_id, const RpcError& error);
/// kRpc as the peer said it; the caller's mistakes as -32602; the rest as -32603.
RpcError to_rpc_error(const Error& error);

/// `params` is JSON text; empty: none.
std::string notification(std::string_view method, std::string_view params = {});
std::string request(std::string_view raw_id, std::string_view method, std::string_view params);
/// {"requestId":…,"reason":…}, as notifications/cancelled.
std::string cancelled(std::string_view raw_id, std::string_view reason);

/// The notification that tells of a change. `subscription` is the raw id of the modern listen it belongs to; empty for
/// legacy clients. Empty when that era has no words for it.
std::string change(const Change& change, std::string_view subscription);

/// All parts of an answer, one after the other, without `rest`.
void append_whole(std::string& out, const Answer& answer);
/// The same with spaces in the place of line ends, as framings need that end at one.
void append_one_line(std::string& out, std::string_view json);

}  // namespace gantry::mcp::wire
