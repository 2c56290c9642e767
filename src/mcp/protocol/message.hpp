#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/revision.hpp"
#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

Json to_json(const RequestId& id);
/// For logs and map keys: distinguishes 1 from "1".
std::string to_text(const RequestId& id);
/// Empty unless a string or an integer spelt as one: 1.0 and 1e2 could not be echoed verbatim, and integers
/// beyond 64 bits would be altered. Integers between 2^53 and 2^63 are kept exactly.
std::optional<RequestId> parse_request_id(const Json& json);

struct RequestMessage {
    RequestId id = {};
    std::string method = {};
    Json params = {};  // null when absent
};
struct NotificationMessage {
    std::string method = {};
    Json params = {};  // null when absent
};
struct ResponseMessage {
    /// Empty only for an error answer to a request whose id could not be read.
    std::optional<RequestId> id = {};
    /// The result, or the error.
    std::expected<Json, RpcError> outcome = {};
};

using Message = std::variant<RequestMessage, NotificationMessage, ResponseMessage>;

/// Decodes one JSON-RPC message strictly: jsonrpc "2.0", exactly one of result and error, a valid id.
/// Unknown members are ignored. `id: null` on an error answer is accepted as absent, and so are
/// `params: null` and a null next to the actual result or error.
/// Invalid JSON fails with kParse, JSON that is not JSON-RPC with kProtocol.
Result<Message> decode_message(std::string_view text, const JsonLimits& limits = {});
Result<Message> decode_message(Json json);
inline Result<Message> decode_message(const std::string& text, const JsonLimits& limits = {}) {
    return decode_message(std::string_view(text), limits);
}
inline Result<Message> decode_message(const char* text, const JsonLimits& limits = {}) {
    return decode_message(std::string_view(text), limits);
}
/// Also accepts a batch (2025-03-26 only), returning its messages in order. An empty batch is rejected.
Result<std::vector<Message>> decode_messages(std::string_view text, const JsonLimits& limits = {});

/// On a single line, without a newline.
std::string encode_message(const Message& message);

}  // namespace gantry::mcp
