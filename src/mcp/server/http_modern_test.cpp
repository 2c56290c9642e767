#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ModernPost, ARequestAnsweredAtOnceIsOneJsonBody) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.modern("\"c7\"", "tools/call", call("echo"));
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.header("content-type"), "application/json");
        EXPECT_EQ(reply.body, R"({"jsonrpc":"2.0","id":"c7","result":{"resultType":"complete","content":[]}})");
        EXPECT_EQ(reply.header("mcp-session-id"), "-");
        EXPECT_THAT(rig.backend.seen, ElementsAre("tools/call 2026-07-28"));
    });
}

TEST(ModernPost, ASharedResultIsSentBetweenHeadAndBrace) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.modern("0", "tools/list");
        EXPECT_EQ(reply.body, R"({"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","tools":[]}})");
    });
}

TEST(ModernPost, OneDeclarationIsReadOnceAndSharedByItsRequests) {
    run_rig([](Rig& rig) -> Task<void> {
        for (int i = 0; i < 3; ++i) (void)co_await rig.modern(std::to_string(i), "tools/list");
        CO_ASSERT(rig.backend.peers.size() == 3);
        EXPECT_EQ(rig.backend.peers[0], rig.backend.peers[2]);
        const std::string other =
            modern_body("9", "tools/list", "", R"(,"io.modelcontextprotocol/clientInfo":{"name":"x","version":"2"})");
        (void)co_await rig.send("POST", other, modern_headers("tools/list"));
        CO_ASSERT(rig.backend.peers.size() == 4);
        EXPECT_NE(rig.backend.peers[0], rig.backend.peers[3]);
        EXPECT_EQ(rig.backend.peers[3]->info->name, "x");
    });
}

TEST(ModernPost, NotificationsBeforeTheAnswerMakeItAnEventStreamWithoutIds) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.modern("1", "tools/call", call("progress"));
        EXPECT_EQ(reply.status, 200);
        EXPECT_TRUE(reply.is_stream());
        EXPECT_EQ(reply.header("x-accel-buffering"), "no");
        EXPECT_EQ(reply.header("cache-control"), "no-cache, no-transform");
        EXPECT_THAT(reply.body, Not(HasSubstr("id:")));
        const auto messages = reply.messages();
        CO_ASSERT(messages.size() == 3);
        EXPECT_EQ(messages[0].at_pointer("/params/data")->dump(), "\"one\"");
        EXPECT_EQ(messages[2].find("id")->dump(), "1");
    });
}

TEST(ModernPost, AClientThatOnlyTakesJsonGetsNothingElse) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.modern("1", "tools/call", call("progress"), {{"Accept", "application/json"}});
        EXPECT_EQ(reply.header("content-type"), "application/json");
    });
}

TEST(ModernPost, SilenceTurnsIntoAStreamWithKeepAlives) {
    HttpEndpointOptions options;
    options.stream_after = milliseconds(60);
    options.keep_alive = milliseconds(20);
    run_rig(
        [](Rig& rig) -> Task<void> {
            auto stream = co_await rig.modern_stream("1", "tools/call", call("wait"));
            CO_ASSERT(stream);
            EXPECT_EQ(stream->header("content-type"), "text/event-stream");
            rig.backend.open = true;
            rig.backend.changed.pulse();
            EXPECT_EQ((co_await stream->message()).find("id")->dump(), "1");
            EXPECT_TRUE((co_await stream->message()).is_null());
            EXPECT_FALSE(stream->broken());
        },
        options);
}

TEST(ModernPost, AClientThatGoesAwayCancelsItsCall) {
    run_rig([](Rig& rig) -> Task<void> {
        Scope scope(patiently());
        CancelSource gone;
        const Context ctx = Context::background().within(seconds(20)).stopped_by(gone);
        http::Request request;
        request.method = "POST";
        request.url = *Url::parse("http://127.0.0.1:" + std::to_string(rig.server.port()) + "/mcp");
        request.body = modern_body("1", "tools/call", call("wait"));
        request.headers.add("Content-Type", "application/json");
        for (const auto& [name, value] : modern_headers("tools/call", call("wait"))) request.headers.add(name, value);
        constexpr auto kSend = [](http::Client& client, Context until, http::Request what) -> Task<void> {
            EXPECT_FALSE((co_await client.send(until, std::move(what))).has_value());
        };
        scope.spawn(kSend(rig.client, ctx, std::move(request)));
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.waiting == 1; }));
        gone.cancel();
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.cancelled == 1; }));
        co_await scope.join();
    });
}

TEST(ModernPost, NotificationsAreAcceptedAndHeard) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply =
            co_await rig.send("POST", R"({"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}})",
                              {{"MCP-Protocol-Version", "2026-07-28"}});
        EXPECT_EQ(reply.status, 202);
        EXPECT_EQ(reply.body, "");
        EXPECT_THAT(rig.backend.noted, ElementsAre(R"(notifications/x {"a":1})"));
    });
}

TEST(ModernPost, TheRequestsLogLevelReachesTheBackend) {
    run_rig([](Rig& rig) -> Task<void> {
        const std::string body = modern_body("1", "level", "", R"(,"io.modelcontextprotocol/logLevel":"warning")");
        const Reply reply = co_await rig.send("POST", body, modern_headers("level"));
        EXPECT_THAT(reply.body, HasSubstr(R"("level":"warning")"));
        EXPECT_THAT((co_await rig.modern("2", "level")).body, HasSubstr(R"("level":"none")"));
    });
}

TEST(ModernPost, TheCodeOfABackendsErrorDecidesTheStatus) {
    run_rig([](Rig& rig) -> Task<void> {
        const std::vector<std::pair<int, int>> cases{{-32601, 404}, {-32020, 400}, {-32021, 400}, {-32022, 400},
                                                     {-32600, 400}, {-32602, 200}, {-32603, 200}, {-32000, 200}};
        for (const auto& [code, status] : cases) {
            const std::string params = call("error", "{\"code\":" + std::to_string(code) + "}");
            const Reply reply = co_await rig.modern("1", "tools/call", params);
            EXPECT_EQ(reply.status, status) << code;
            EXPECT_EQ(reply.error(), code);
        }
        EXPECT_EQ((co_await rig.modern("1", "unknown/method")).status, 404);
    });
}

TEST(ModernPost, ALongAnswerPassesThroughInPieces) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.modern("1", "tools/call", call("stream"));
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.header("transfer-encoding"), "chunked");
        EXPECT_EQ(reply.body.size(),
                  std::string(R"({"jsonrpc":"2.0","id":1,"result":{"text": "}})").size() + 16000 + 1);
        const Reply mixed = co_await rig.modern("2", "tools/call", call("chatty stream"));
        CO_ASSERT(mixed.messages().size() == 2);
        EXPECT_THAT(mixed.messages()[1].at_pointer("/result/text")->dump(), HasSubstr("0123456789 abcde0123456789"));
    });
}

TEST(ModernPost, ALongAnswerThatBreaksOffCutsTheConnection) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.modern("1", "tools/call", call("broken"));
        EXPECT_THAT(reply.body, HasSubstr("cut: "));
    });
}

TEST(ModernPost, DiscoverSaysWhatTheFaceSays) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.backend.self->ttl_ms = 500;
        const Json result = *(co_await rig.modern("1", "server/discover")).json().find("result");
        EXPECT_EQ(result.find("supportedVersions")->dump(),
                  R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])");
        EXPECT_EQ(result.find("resultType")->dump(), "\"complete\"");
        EXPECT_EQ(result.find("ttlMs")->dump(), "500");
        EXPECT_EQ(result.find("cacheScope")->dump(), "\"private\"");
        EXPECT_EQ(result.find("instructions")->dump(), "\"be kind\"");
        EXPECT_EQ(result.at_pointer("/_meta/io.modelcontextprotocol~1serverInfo/name")->dump(), "\"fake\"");
        EXPECT_EQ(result.at_pointer("/capabilities/tools/listChanged")->dump(), "true");
    });
}

TEST(ModernPost, JsonOnlyPromisesNoChanges) {
    HttpEndpointOptions options;
    options.json_only = true;
    run_rig(
        [](Rig& rig) -> Task<void> {
            const Json result = *(co_await rig.modern("1", "server/discover")).json().find("result");
            EXPECT_EQ(result.at_pointer("/capabilities/tools/listChanged"), nullptr);
            EXPECT_EQ((co_await rig.modern("2", "tools/call", call("progress"))).header("content-type"),
                      "application/json");
            EXPECT_EQ((co_await rig.modern("3", "subscriptions/listen", R"("notifications":{})")).status, 404);
        },
        options);
}

TEST(ModernPost, TooManyCallsOfOneClientAreRefusedInBand) {
    HttpEndpointOptions options;
    options.max_calls_per_session = 1;
    run_rig(
        [](Rig& rig) -> Task<void> {
            Scope scope(patiently());
            constexpr auto kWait = [](Rig& on) -> Task<void> {
                EXPECT_EQ((co_await on.modern("1", "tools/call", call("wait"))).status, 200);
            };
            scope.spawn(kWait(rig));
            EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.waiting == 1; }));
            const Reply second = co_await rig.modern("2", "tools/list");
            EXPECT_EQ(second.status, 200);
            EXPECT_EQ(second.error(), -32603);
            EXPECT_EQ(rig.endpoint->counts().calls, 1u);
            rig.backend.open = true;
            rig.backend.changed.pulse();
            co_await scope.join();
            EXPECT_EQ((co_await rig.modern("3", "tools/list")).error(), 0);
        },
        options);
}

}  // namespace
}  // namespace gantry::mcp::testing
