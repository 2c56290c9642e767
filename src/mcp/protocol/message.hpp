#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::mcp {

/// Every released revision, oldest first. k2026_07_28 begins the modern era.
enum class Revision : std::uint8_t { k2024_11_05, k2025_03_26, k2025_06_18, k2025_11_25, k2026_07_28 };

std::string_view to_string(Revision revision) noexcept;
/// Also accepts the pre-release "2024-10-07" as 2024-11-05.
std::optional<Revision> parse_revision(std::string_view text) noexcept;
constexpr bool is_modern(Revision revision) noexcept {
    return revision >= Revision::k2026_07_28;
}

/// A JSON-RPC id: text or integer, never null. 0 and "" are real ids.
using RequestId = std::variant<std::int64_t, std::string>;
Json to_json(const RequestId& id);
/// For logs and map keys: distinguishes 1 from "1".
std::string to_text(const RequestId& id);

struct RequestMessage {
    RequestId id;
    std::string method;
    Json params;  // null when absent
};
struct NotificationMessage {
    std::string method;
    Json params;  // null when absent
};
struct ResponseMessage {
    /// Empty only for an error answer whose request could not be read.
    std::optional<RequestId> id;
    /// The result, or the error.
    std::expected<Json, RpcError> outcome;
};

using Message = std::variant<RequestMessage, NotificationMessage, ResponseMessage>;

/// One JSON-RPC message, strictly: jsonrpc "2.0", exactly one of result and error, a usable id.
/// Unknown members are ignored. `id: null` on an error answer is accepted as absent.
Result<Message> decode_message(std::string_view text, const JsonLimits& limits = {});
Result<Message> decode_message(Json json);
/// Also a batch (2025-03-26 only): the messages in order.
Result<std::vector<Message>> decode_messages(std::string_view text, const JsonLimits& limits = {});

/// One line without a newline in it.
std::string encode_message(const Message& message);

}  // namespace gantry::mcp
