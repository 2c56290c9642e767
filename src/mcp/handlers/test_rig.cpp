#include "mcp/handlers/test_rig.hpp"

#include <gtest/gtest.h>

#include "base/json/scan.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::mcp {

Json json(std::string_view text) {
    auto parsed = Json::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed ? *std::move(parsed) : Json();
}

bool FakeLine::notify(std::string message) {
    told.push_back(json(message));
    return true;
}

Task<Result<std::string>> FakeLine::ask(const Context& ctx, std::string_view method, std::string params) {
    const Json read = json(params);
    asked.emplace_back(JsonObject{{"method", Json(method)}, {"params", read}});
    if (gate != nullptr) {
        if (auto waited = co_await gate->wait(ctx); !waited) co_return fail(waited.error());
    }
    co_return on_ask(method, read);
}

Rig::Rig(ServerOptions options) : server(Implementation{.name = "rig", .version = "1"}, std::move(options)) {}

Rig::~Rig() {
    loop.run_until_done(server.close());
}

PeerPtr Rig::peer(Revision revision, std::string_view capabilities, std::string identity) {
    auto peer = std::make_shared<Peer>();
    peer->revision = revision;
    peer->capabilities = *decode<ClientCapabilities>(json(capabilities), revision);
    peer->identity = identity.empty() ? nullptr : std::make_shared<const Identity>(std::move(identity));
    if (!is_modern(revision)) peer->session = "session";
    return peer;
}

Task<Json> Rig::request_task(PeerPtr peer, std::string method, Json params, FakeLine& with) {
    const std::string text =
        Json(JsonObject{{"jsonrpc", "2.0"}, {"id", "q1"}, {"method", method}, {"params", std::move(params)}}).dump();
    const auto view = json::scan_envelope(text);
    const MethodInfo* info = find_method(method, peer->revision);
    const Call call{.peer = peer,
                    .text = text,
                    .view = *view,
                    .method = method,
                    .info = info,
                    .log_level = log_level,
                    .headers = headers};
    const Context ctx = Context::background().stopped_by(cancel);
    const Answer answer = co_await server.answer(ctx, call, with);
    if (answer.message.empty()) co_return Json();
    co_return json(answer.shared_result ? answer.message + *answer.shared_result + "}" : answer.message);
}

Json Rig::request(PeerPtr peer, std::string method, Json params) {
    return loop.run_until_done(request_task(std::move(peer), std::move(method), std::move(params), line));
}

Json Rig::result(PeerPtr peer, std::string method, Json params) {
    const Json response = request(std::move(peer), std::move(method), std::move(params));
    const Json* result = response.find("result");
    EXPECT_NE(result, nullptr) << response.dump();
    EXPECT_EQ(response.string_at("id"), "q1");
    return result != nullptr ? *result : Json();
}

std::int64_t Rig::error(PeerPtr peer, std::string method, Json params) {
    const Json response = request(std::move(peer), std::move(method), std::move(params));
    const Json* code = response.at_pointer("/error/code");
    return code != nullptr ? code->as_int().value_or(-1) : 0;
}

void Rig::settle() {
    for (int i = 0; i < 20; ++i) loop.run_until_done(one_turn());
}

std::string text_of(const Json& result) {
    const Json* text = result.at_pointer("/content/0/text");
    return text != nullptr && text->is_string() ? *text->if_string() : "(no text) " + result.dump();
}

ElicitParams form(std::string message, std::string_view schema) {
    ElicitParams params;
    params.message = std::move(message);
    params.requested_schema = json(schema);
    return params;
}

CallToolResult text_result(std::string text) {
    CallToolResult result;
    result.content.push_back(TextContent{.text = std::move(text)});
    return result;
}

}  // namespace gantry::mcp
