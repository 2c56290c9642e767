#include "mcp/protocol/raw_message.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

std::unexpected<Error> not_rpc(std::string reason) {
    return fail(ErrorCode::kProtocol, "not a JSON-RPC message: " + std::move(reason));
}

void drop_null(json::Span& span) {
    if (span.is_null()) span = {};
}

std::optional<std::int64_t> whole_number(std::string_view digits) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || digits == "-0") return {};
    return value;
}

bool is_id(const json::Span& span) {
    return span.is_string() || whole_number(span.raw()).has_value();
}

}  // namespace

std::optional<RequestId> read_request_id(const json::Span& span) {
    if (auto text = span.text()) return RequestId(*std::move(text));
    if (const auto number = whole_number(span.raw())) return RequestId(*number);
    return std::nullopt;
}

Result<RpcError> read_rpc_error(std::string_view error) {
    GANTRY_TRY(const Json json, Json::parse(error));
    const Json* code = json.find("code");
    if (code == nullptr || !code->as_int()) return not_rpc("error without an integer code");
    const Json* message = json.find("message");
    if (message != nullptr && !message->is_null() && !message->is_string()) return not_rpc("error message is not text");
    const Json* data = json.find("data");
    return RpcError{.code = *code->as_int(),
                    .message = std::string(json.string_at("message")),
                    .data = data != nullptr ? data->dump() : ""};
}

Result<RawMessage> RawMessage::read(std::string text, const JsonLimits& limits) {
    RawMessage message;
    message.text_ = std::move(text);
    auto view = json::scan_envelope(message.text_, limits);
    if (!view) return std::unexpected(std::move(view).error());
    message.view_ = *view;
    GANTRY_CHECK(message.check());
    return message;
}

Result<void> RawMessage::check() {
    if (view_.kind != Json::Kind::kObject) return not_rpc("not an object");
    if (!view_.jsonrpc.is("2.0")) return not_rpc("jsonrpc is not \"2.0\"");
    if (!view_.method) return check_answer();
    if (!view_.method.is_string()) return not_rpc("method is not text");
    drop_null(view_.result);
    drop_null(view_.error);
    drop_null(view_.params);
    return check_call();
}

Result<void> RawMessage::check_call() const {
    if (view_.result || view_.error) return not_rpc("both a call and an answer");
    if (view_.params && !view_.params.is_object()) return not_rpc("params is not an object");
    if (view_.id && !is_id(view_.id)) return not_rpc("id is neither text nor a 64-bit integer");
    return {};
}

Result<void> RawMessage::check_answer() {
    drop_null(view_.error);
    if (view_.error) {
        drop_null(view_.result);
        drop_null(view_.id);
    }
    if (static_cast<bool>(view_.error) == static_cast<bool>(view_.result)) {
        return not_rpc("not exactly one of result and error");
    }
    if (view_.id && !is_id(view_.id)) return not_rpc("id is neither text nor a 64-bit integer");
    if (view_.error) {
        GANTRY_CHECK(read_rpc_error(view_.error.raw()));
    } else if (!view_.id) {
        return not_rpc("result without id");
    }
    return {};
}

std::optional<RequestId> RawMessage::id() const {
    return read_request_id(view_.id);
}

bool RawMessage::is_about(std::int64_t id) const noexcept {
    std::array<char, 24> digits;
    const auto [end, error] = std::to_chars(digits.begin(), digits.end(), id);
    return view_.id && view_.id.raw() == std::string_view(digits.data(), end);
}

std::optional<RpcError> RawMessage::error() const {
    if (!view_.error) return std::nullopt;
    auto read = read_rpc_error(view_.error.raw());
    if (!read) return std::nullopt;  // checked already
    return *std::move(read);
}

Result<Message> RawMessage::decode() const {
    return decode_message(text_, JsonLimits{.max_bytes = text_.size()});
}

}  // namespace gantry::mcp
