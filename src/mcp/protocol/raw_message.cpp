#include "mcp/protocol/raw_message.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/json/surrogates.hpp"
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

Result<void> check_call(const json::EnvelopeView& view) {
    if (view.result || view.error) return not_rpc("both a call and an answer");
    if (view.params && !view.params.is_object()) return not_rpc("params is not an object");
    if (view.id && !is_id(view.id)) return not_rpc("id is neither text nor a 64-bit integer");
    return {};
}

Result<void> check_answer(json::EnvelopeView& view) {
    drop_null(view.error);
    if (view.error) {
        drop_null(view.result);
        drop_null(view.id);
    }
    if (static_cast<bool>(view.error) == static_cast<bool>(view.result)) {
        return not_rpc("not exactly one of result and error");
    }
    if (view.id && !is_id(view.id)) return not_rpc("id is neither text nor a 64-bit integer");
    if (view.error) {
        GANTRY_CHECK(read_rpc_error(view.error.raw()));
    } else if (!view.id) {
        return not_rpc("result without id");
    }
    return {};
}

Result<void> check(json::EnvelopeView& view) {
    if (view.kind != Json::Kind::kObject) return not_rpc("not an object");
    if (!view.jsonrpc.is("2.0")) return not_rpc("jsonrpc is not \"2.0\"");
    if (!view.method) return check_answer(view);
    if (!view.method.is_string()) return not_rpc("method is not text");
    drop_null(view.result);
    drop_null(view.error);
    drop_null(view.params);
    return check_call(view);
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

const json::EnvelopeView RawMessage::kNothing;

Result<RawMessage> RawMessage::read(std::string text, const JsonLimits& limits) {
    return read_from_server(text, limits, true);
}

Result<RawMessage> RawMessage::read_from_server(std::string& text, const JsonLimits& limits, bool strict) {
    RawMessage message;
    message.text_ = std::move(text);
    auto scanned = json::scan_envelope(message.text_, limits);
    if (!scanned && !strict && json::is_lone_surrogate(scanned.error()) &&
        json::replace_lone_surrogates(message.text_)) {
        scanned = json::scan_envelope(message.text_, limits);
    }
    if (!scanned) {
        text = std::move(message.text_);
        return std::unexpected(std::move(scanned).error());
    }
    auto view = std::make_unique<json::EnvelopeView>(*scanned);
    if (auto checked = check(*view); !checked) {
        text = std::move(message.text_);
        return std::unexpected(std::move(checked).error());
    }
    message.view_ = std::move(view);
    return message;
}

std::optional<RequestId> RawMessage::id() const {
    return read_request_id(view().id);
}

bool RawMessage::is_about(std::int64_t id) const noexcept {
    std::array<char, 24> digits;
    const auto [end, error] = std::to_chars(digits.begin(), digits.end(), id);
    return view().id && view().id.raw() == std::string_view(digits.data(), end);
}

std::optional<RpcError> RawMessage::error() const {
    if (!view().error) return std::nullopt;
    auto read = read_rpc_error(view().error.raw());
    if (!read) return std::nullopt;  // validated before
    return *std::move(read);
}

Result<Message> RawMessage::decode() const {
    return decode_message(text_, JsonLimits{.max_bytes = text_.size()});
}

}  // namespace gantry::mcp
