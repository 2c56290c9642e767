#include "mcp/protocol/message.hpp"

#include <charconv>
#include <utility>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

std::unexpected<Error> not_rpc(std::string reason) {
    return fail(ErrorCode::kProtocol, "not a JSON-RPC message: " + std::move(reason));
}

bool present(const Json* member) {
    return member != nullptr && !member->is_null();
}

Result<Json> take_params(Json& json) {
    Json* params = json.find("params");
    if (params == nullptr || params->is_null()) return Json();
    if (!params->is_object()) return not_rpc("params is not an object");
    return std::move(*params);
}

Result<Message> take_call(Json& json, std::string method) {
    if (present(json.find("result")) || present(json.find("error"))) return not_rpc("both a call and an answer");
    GANTRY_TRY(Json params, take_params(json));
    const Json* id = json.find("id");
    if (id == nullptr) return NotificationMessage{std::move(method), std::move(params)};
    auto parsed = parse_request_id(*id);
    if (!parsed) return not_rpc("id is neither text nor a 64-bit integer");
    return RequestMessage{*std::move(parsed), std::move(method), std::move(params)};
}

Result<RpcError> read_error(const Json& json) {
    const Json* code = json.find("code");
    if (code == nullptr || !code->as_int()) return not_rpc("error without an integer code");
    const Json* message = json.find("message");
    if (present(message) && !message->is_string()) return not_rpc("error message is not text");
    const Json* data = json.find("data");
    return RpcError{*code->as_int(), std::string(json.string_at("message")), data != nullptr ? data->dump() : ""};
}

Result<Message> take_answer(Json& json) {
    Json* result = json.find("result");
    Json* error = json.find("error");
    const bool failed = present(error);
    if (failed ? present(result) : result == nullptr) return not_rpc("not exactly one of result and error");

    std::optional<RequestId> id;
    if (const Json* raw = json.find("id"); raw != nullptr && !(failed && raw->is_null())) {
        id = parse_request_id(*raw);
        if (!id) return not_rpc("id is neither text nor a 64-bit integer");
    }
    if (failed) {
        GANTRY_TRY(RpcError read, read_error(*error));
        return ResponseMessage{std::move(id), std::unexpected(std::move(read))};
    }
    if (!id) return not_rpc("result without id");
    return ResponseMessage{std::move(id), std::move(*result)};
}

struct Encoder {
    std::string out = R"({"jsonrpc":"2.0")";

    void member(std::string_view name, const Json& value) {
        out += ",\"";
        out += name;
        out += "\":";
        value.dump_to(out);
    }
    void call(const std::string& method, const Json& params) {
        member("method", method);
        if (!params.is_null()) member("params", params);
    }
    void operator()(const RequestMessage& request) {
        member("id", to_json(request.id));
        call(request.method, request.params);
    }
    void operator()(const NotificationMessage& note) { call(note.method, note.params); }
    void operator()(const ResponseMessage& response) {
        if (response.id) member("id", to_json(*response.id));
        if (response.outcome) return member("result", *response.outcome);
        const RpcError& error = response.outcome.error();
        out += R"(,"error":{"code":)" + std::to_string(error.code) + R"(,"message":)";
        Json(error.message).dump_to(out);
        if (!error.data.empty()) {
            auto data = Json::parse(error.data);
            out += R"(,"data":)";
            (data ? *data : Json(error.data)).dump_to(out);
        }
        out += '}';
    }
};

}  // namespace

Json to_json(const RequestId& id) {
    return std::visit([](const auto& value) { return Json(value); }, id);
}

std::string to_text(const RequestId& id) {
    if (const auto* number = std::get_if<std::int64_t>(&id)) return std::to_string(*number);
    return Json(std::get<std::string>(id)).dump();
}

std::optional<RequestId> parse_request_id(const Json& json) {
    if (const auto* text = json.if_string()) return RequestId(*text);
    const std::string_view digits = json.number_text();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || digits == "-0") return {};
    return RequestId(value);
}

Result<Message> decode_message(std::string_view text, const JsonLimits& limits) {
    GANTRY_TRY(Json json, Json::parse(text, limits));
    return decode_message(std::move(json));
}

Result<Message> decode_message(Json json) {
    if (!json.is_object()) return not_rpc("not an object");
    if (json.string_at("jsonrpc") != "2.0") return not_rpc("jsonrpc is not \"2.0\"");
    Json* method = json.find("method");
    if (method == nullptr) return take_answer(json);
    std::string* name = method->if_string();
    if (name == nullptr) return not_rpc("method is not text");
    return take_call(json, std::move(*name));
}

Result<std::vector<Message>> decode_messages(std::string_view text, const JsonLimits& limits) {
    GANTRY_TRY(Json json, Json::parse(text, limits));
    std::vector<Message> messages;
    JsonArray* batch = json.if_array();
    if (batch == nullptr) {
        GANTRY_TRY(Message message, decode_message(std::move(json)));
        messages.push_back(std::move(message));
        return messages;
    }
    if (batch->empty()) return not_rpc("empty batch");
    messages.reserve(batch->size());
    for (Json& item : *batch) {
        GANTRY_TRY(Message message, decode_message(std::move(item)));
        messages.push_back(std::move(message));
    }
    return messages;
}

std::string encode_message(const Message& message) {
    Encoder encoder;
    std::visit(encoder, message);
    encoder.out += '}';
    return std::move(encoder.out);
}

}  // namespace gantry::mcp
