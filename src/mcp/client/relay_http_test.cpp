#include "mcp/client/relay_http.hpp"

#include "io/scope.hpp"
#include "mcp/client/test_relay.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

constexpr Revision kModern = Revision::k2026_07_28;
constexpr Revision kLegacy = Revision::k2025_11_25;
constexpr const char* kOdd = R"({ "content":[], "n":9007199254740993 ,"f":1.50,"s":"\u0041\/" })";

Task<void> answer_json(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (!co_await served(rig, ctx, exchange, seen)) co_await say_json(ctx, exchange, 200, result_for(seen, kOdd));
}

TEST(RelayHttp, AModernAnswerComesBackAsItCameAndTheRequestHasTheHeadersOfThisHop) {
    run_relay(kModern, answer_json, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"gw__grüße","arguments":{"x":1.0}})");
        client_request.request.name = "grüße";
        client_request.request.headers = {{"Mcp-Param-Region", "eu"}};
        client_request.request.capabilities = R"({"sampling":{}})";
        const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(answer);
        EXPECT_EQ(answer->message.view().result.raw(), kOdd);
        EXPECT_EQ(answer->revision, kModern);
        EXPECT_FALSE(answer->stream);
        const Seen& seen = rig.http.seen.back();
        EXPECT_EQ(seen.header("mcp-protocol-version"), "2026-07-28");
        EXPECT_EQ(seen.header("mcp-method"), "tools/call");
        EXPECT_EQ(seen.header("mcp-name"), "=?base64?Z3LDvMOfZQ==?=");
        EXPECT_EQ(seen.header("mcp-param-region"), "eu");
        EXPECT_EQ(seen.header("mcp-session-id"), "-");
        EXPECT_EQ(seen.header("accept"), "application/json, text/event-stream");
        EXPECT_TRUE(seen.body.contains(R"("name":"grüße","arguments":{"x":1.0})"));
        EXPECT_TRUE(seen.body.contains(R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}})"));
        EXPECT_EQ(rig.client->session()->wire(), Wire::kHttp);
    });
}

TEST(RelayHttp, ALegacyServerGetsItsSessionAndNothingModern) {
    run_relay(kLegacy, answer_json, [](RelayRig& rig) -> Task<void> {
        const ClientRequest client_request(
            "tools/call", R"({"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
        const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(answer);
        EXPECT_EQ(answer->message.view().result.raw(), kOdd);
        EXPECT_EQ(answer->revision, kLegacy);
        const Seen& seen = rig.http.seen.back();
        EXPECT_EQ(seen.header("mcp-session-id"), "s1");
        EXPECT_EQ(seen.header("mcp-protocol-version"), "2025-11-25");
        EXPECT_EQ(seen.header("mcp-method"), "-");
        EXPECT_FALSE(seen.body.contains("modelcontextprotocol"));
        EXPECT_TRUE(seen_of(rig.http, "initialize").front().body.contains(R"("elicitation":{})"));
    });
}

TEST(RelayHttp, TheCorrelationIdIsAHeaderTooAndReplacesAConfiguredOne) {
    for (const Revision revision : {kModern, kLegacy}) {
        run_relay(
            revision, answer_json,
            [](RelayRig& rig) -> Task<void> {
                ClientRequest client_request("tools/call", R"({"name":"a"})");
                client_request.request.correlation_id = "c-1";
                CO_ASSERT(co_await rig.client->relay(watchdog(), client_request.request, false));
                EXPECT_EQ(seen_of(rig.http, "tools/call").back().header("x-correlation-id"), "c-1");
                EXPECT_TRUE(seen_of(rig.http, "tools/call").back().body.contains(R"("io.gantry/correlationId":"c-1")"));
                client_request.request.correlation_id = {};
                CO_ASSERT(co_await rig.client->relay(watchdog(), client_request.request, false));
                EXPECT_EQ(seen_of(rig.http, "tools/call").back().header("x-correlation-id"), "-");
            },
            [](StreamableHttpConfig& config) { config.http.headers = {{"X-Correlation-Id", "configured"}}; });
    }
}

std::string note(const std::string& method, const std::string& params) {
    return R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}";
}

std::string id_of(const Seen& seen) {
    const Json* id = seen.json.find("id");
    return id ? id->dump() : "none";
}

Task<void> talk(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    const std::string token = id_of(seen);
    co_await start_events(ctx, exchange);
    co_await say_event(ctx, exchange,
                       note("notifications/progress", R"({"progressToken":)" + token + R"(,"progress":1})"));
    co_await say_event(ctx, exchange,
                       note("notifications/progress", R"({"progressToken":)" + token + R"(,"progress":1})"));
    co_await say_event(ctx, exchange, note("notifications/progress", R"({"progressToken":"x","progress":9})"));
    co_await say_event(ctx, exchange, note("notifications/message", R"({"level":"info","data":1.50})"));
    co_await say_event(ctx, exchange, note("notifications/message", R"({"level":"debug","data":"quiet"})"));
    co_await say_event(ctx, exchange,
                       R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}})");
    rig.note = "asked";
    while (rig.note == "asked") {
        bool replied = false;
        for (const Seen& one : rig.seen) replied |= id_of(one) == "\"q\"";
        if (replied) break;
        if (!co_await rig.changed.wait(ctx)) co_return;
    }
    co_await say_event(ctx, exchange,
                       note("notifications/progress", R"({"progressToken":)" + token + R"(,"progress":2.5})"));
    co_await say_event(ctx, exchange, result_for(seen, kOdd));
    (void)co_await exchange.finish(ctx);
}

Task<Result<std::string>> elicited(std::string method, std::string params) {
    if (method != "elicitation/create") co_return fail(ErrorCode::kInternal, "unexpected " + method);
    EXPECT_EQ(params, R"({"message":"?"})");
    co_return "{\"action\":\n\"accept\"}";
}

void hear_all(RelayRig& rig, RelayRequest& request) {
    request.wants_progress = true;
    request.log_level = LogLevel::kInfo;
    request.hooks.on_progress = [&rig](std::string_view params, const json::ParamsView& view) {
        EXPECT_TRUE(view.progress_token);
        rig.heard.push_back("progress " + Json::parse(params)->find("progress")->dump());
    };
    request.hooks.on_log = [&rig](LogLevel level, std::string_view params) {
        rig.heard.push_back("log " + std::string(to_string(level)) + " " + std::string(params));
    };
}

TEST(RelayHttp, ALegacyServerTellsAndAsksOnTheStreamOfTheRequest) {
    run_relay(kLegacy, talk, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        hear_all(rig, client_request.request);
        client_request.request.hooks.on_request = [](const Context&, std::string method, std::string params) {
            return elicited(std::move(method), std::move(params));
        };
        const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(answer);
        EXPECT_EQ(answer->message.view().result.raw(), kOdd);
        EXPECT_EQ(rig.heard,
                  (std::vector<std::string>{"progress 1", R"(log info {"level":"info","data":1.50})", "progress 2.5"}));
        EXPECT_EQ(rig.oddities.size(), 2u);
        bool replied = false;
        for (const Seen& one : rig.http.seen) {
            replied |= one.body == R"({"jsonrpc":"2.0","id":"q","result":{"action": "accept"}})";
        }
        EXPECT_TRUE(replied);
    });
}

TEST(RelayHttp, AQuestionNobodyAnswersIsRefused) {
    for (const Revision revision : {kLegacy, kModern}) {
        run_relay(revision, talk, [](RelayRig& rig) -> Task<void> {
            ClientRequest client_request("tools/call", R"({"name":"a"})");
            hear_all(rig, client_request.request);
            const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(answer);
            bool refused = false;
            for (const Seen& one : rig.http.seen) refused |= id_of(one) == "\"q\"" && one.body.contains("-32601");
            EXPECT_TRUE(refused);
            EXPECT_EQ(rig.heard.size(), 3u);
        });
    }
}

TEST(RelayHttp, ConnectionsAreUsedAgainAfterJsonAndAfterEvents) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            rig.note += std::string(exchange.headers().get("host").value_or("")).empty() ? "?" : ".";
            if (rig.step++ % 2 == 0) co_return co_await say_json(ctx, exchange, 200, result_for(seen));
            co_await start_events(ctx, exchange);
            co_await say_event(ctx, exchange, result_for(seen));
            (void)co_await exchange.finish(ctx);
        },
        [](RelayRig& rig) -> Task<void> {
            const ClientRequest client_request("tools/list", "{}");
            for (int i = 0; i < 20; ++i) {
                const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
                CO_ASSERT(answer);
                EXPECT_EQ(answer->message.view().result.raw(), "{}");
            }
        });
}

TEST(RelayHttp, ErrorsOfTheServerAreItsOwnWhateverTheStatus) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            const int statuses[] = {200, 404, 400, 500};
            const char* ids[] = {"", R"("id":null,)", R"("id":"other",)", ""};
            const auto i = static_cast<std::size_t>(rig.step++);
            const std::string id = i == 0 ? R"("id":)" + id_of(seen) + "," : ids[i];
            co_await say_json(ctx, exchange, statuses[i],
                              R"({"jsonrpc":"2.0",)" + id + R"("error":{"code":-32601,"message":"no","data":[1.50]}})");
        },
        [](RelayRig& rig) -> Task<void> {
            const ClientRequest client_request("x/y", "{}");
            for (int i = 0; i < 4; ++i) {
                const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
                CO_ASSERT(!answer && answer.error().rpc());
                EXPECT_EQ(answer.error().code(), ErrorCode::kRpc);
                EXPECT_EQ(answer.error().rpc()->code, -32601);
                EXPECT_EQ(answer.error().rpc()->data, "[1.50]");
            }
        });
}

TEST(RelayHttp, AnAnswerThatCannotBeReadFailsAtOnceThoughItsStreamStaysOpen) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            const std::string deep = std::string(500, '[') + std::string(500, ']');
            const std::string id = seen.json.find("id")->dump();
            co_await start_events(ctx, exchange);
            co_await say_event(ctx, exchange,
                               rig.step++ == 0 ? R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + deep + "}"
                                               : R"({"result":)" + deep + R"(,"jsonrpc":"2.0","id":)" + id + "}");
            (void)co_await exchange.wait_for_disconnect(ctx);
        },
        [](RelayRig& rig) -> Task<void> {
            for (int i = 0; i < 2; ++i) {
                const ClientRequest client_request("tools/list", "{}");
                const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
                CO_ASSERT(!answer);
                EXPECT_EQ(answer.error().code(), ErrorCode::kLimit) << answer.error().to_string();
                EXPECT_NE(answer.error().to_string().find("nested too deeply"), std::string::npos);
            }
        });
}

TEST(RelayHttp, AnswersThatAreNoneAreRefused) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            switch (rig.step++) {
                case 0: co_return co_await say_json(ctx, exchange, 200, R"({"jsonrpc":"2.0","id":999,"result":{}})");
                case 1: co_return co_await say_json(ctx, exchange, 200, R"({"jsonrpc":"2.0","id":1,"method":"x"})");
                case 2: co_return co_await say_json(ctx, exchange, 200, R"({"jsonrpc":"2.0","id":)");
                case 3: (void)co_await exchange.respond(ctx, 202, {}, ""); co_return;
                case 4:
                    co_return co_await say_json(ctx, exchange, 401,
                                                R"({"jsonrpc":"2.0","error":{"code":-1,"message":"secret"}})");
                case 5: (void)co_await exchange.respond(ctx, 200, {{"Content-Type", "text/html"}}, "<p>"); co_return;
                default: co_return co_await say_json(ctx, exchange, 200, "[" + result_for(seen, "[7]") + "]");
            }
        },
        [](RelayRig& rig) -> Task<void> {
            using enum ErrorCode;
            const ClientRequest client_request("tools/list", "{}");
            for (const ErrorCode code : {kProtocol, kProtocol, kParse, kProtocol, kUnauthorized, kProtocol}) {
                const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
                CO_ASSERT(!answer);
                EXPECT_EQ(answer.error().code(), code) << answer.error().to_string();
                EXPECT_EQ(answer.error().rpc(), nullptr);
            }
            const auto batch = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(batch);
            EXPECT_EQ(batch->message.view().result.raw(), "[7]");
        });
}

}  // namespace
}  // namespace gantry::mcp
