// Request validation as seen by an HTTP client: order, codes, statuses, ids.
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::HasSubstr;

TEST(Rungs, StrangeHostsAndPagesComeNoFurther) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply page = co_await rig.modern("1", "tools/list", "", {{"Origin", "http://evil.example.com"}});
        EXPECT_EQ(page.status, 403);
        EXPECT_EQ(page.header("access-control-allow-origin"), "-");
        EXPECT_EQ((co_await rig.send("GET", "", {{"Origin", "null"}})).status, 403);
        EXPECT_EQ(rig.backend.identities, 0u) << "not even asked who they are";
        const Reply own = co_await rig.modern("1", "tools/list", "", {{"Origin", "http://localhost:6274"}});
        EXPECT_EQ(own.status, 200);
        EXPECT_EQ(own.header("access-control-allow-origin"), "http://localhost:6274");
        EXPECT_THAT(own.header("access-control-expose-headers"), HasSubstr("Mcp-Session-Id"));
    });
}

TEST(Rungs, APreflightIsAnsweredBeforeAnybodyIsIdentified) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.backend.demands = true;
        const Reply reply = co_await rig.send(
            "OPTIONS", "",
            {{"Origin", "http://localhost:1"}, {"Access-Control-Request-Headers", "mcp-param-region, mcp-method"}});
        EXPECT_EQ(reply.status, 204);
        EXPECT_EQ(reply.header("access-control-allow-headers"), "mcp-param-region, mcp-method");
        EXPECT_THAT(reply.header("access-control-allow-methods"), HasSubstr("DELETE"));
    });
}

TEST(Rungs, WhoeverIsNotLetInIsChallengedBeforeTheBodyIsRead) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.backend.demands = true;
        const Reply reply = co_await rig.send("POST", "not json", {});
        EXPECT_EQ(reply.status, 401);
        EXPECT_EQ(reply.header("www-authenticate"), "Bearer realm=\"test\"");
        EXPECT_EQ((co_await rig.send("GET", "", {})).status, 401);
        EXPECT_EQ((co_await rig.send("DELETE", "", {})).status, 401);
        rig.token = "Bearer me";
        EXPECT_EQ((co_await rig.modern("1", "tools/list")).status, 200);
        EXPECT_EQ(rig.backend.peers.back()->identity->key(), "Bearer me");
    });
}

TEST(Rungs, BodiesMustBeJsonOfOrdinarySizeAndDepth) {
    HttpEndpointOptions options;
    options.max_body_bytes = 1000;
    options.max_depth = 10;
    run_rig(
        [](Rig& rig) -> Task<void> {
            EXPECT_EQ((co_await rig.send("POST", "{}", {{"Content-Type", "text/plain"}})).status, 415);
            EXPECT_EQ((co_await rig.send("POST", std::string(1001, ' '), {})).status, 413);
            for (const char* bad : {"", "{", R"({"a":1,"a":2})", "[[[[[[[[[[[[1]]]]]]]]]]]]", "\"\xff\""}) {
                const Reply reply = co_await rig.send("POST", bad, {{"Content-Type", "application/json"}});
                EXPECT_EQ(reply.status, 400) << bad;
                EXPECT_EQ(reply.error(), -32700) << bad;
            }
        },
        options);
}

TEST(Rungs, EveryErrorNamesTheRequestItAnswers) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply meta =
            co_await rig.send("POST", legacy_request("\"m\"", "tools/list"), {{"MCP-Protocol-Version", "2026-07-28"}});
        EXPECT_EQ(meta.status, 400);
        EXPECT_EQ(meta.error(), -32602);
        EXPECT_EQ(meta.json().find("id")->dump(), "\"m\"");
        const Reply header = co_await rig.send("POST", modern_body("7", "tools/list"), {});
        EXPECT_EQ(header.status, 400);
        EXPECT_EQ(header.error(), -32020);
        EXPECT_EQ(header.json().find("id")->dump(), "7");
        const Reply removed = co_await rig.modern("8", "ping");
        EXPECT_EQ(removed.status, 404);
        EXPECT_EQ(removed.error(), -32601);
        EXPECT_EQ(removed.json().find("id")->dump(), "8");
        EXPECT_TRUE(rig.backend.seen.empty());
    });
}

TEST(Rungs, AMalformedClientInfoIsRefusedAndAMissingOneIsNot) {
    run_rig([](Rig& rig) -> Task<void> {
        const std::string bad =
            modern_body("1", "tools/list", "", R"(,"io.modelcontextprotocol/clientInfo":{"name":7})");
        const Reply reply = co_await rig.send("POST", bad, modern_headers("tools/list"));
        EXPECT_EQ(reply.status, 400);
        EXPECT_EQ(reply.error(), -32602);
        EXPECT_EQ((co_await rig.modern("1", "tools/list")).status, 200);
    });
}

TEST(Rungs, AModernOnlyEndpointHasNoSessions) {
    HttpEndpointOptions options;
    options.eras = Eras::kModern;
    run_rig(
        [](Rig& rig) -> Task<void> {
            for (const char* method : {"GET", "DELETE", "PUT"}) {
                const Reply reply = co_await rig.send(method, "", {});
                EXPECT_EQ(reply.status, 405) << method;
                EXPECT_EQ(reply.header("allow"), "POST, OPTIONS");
            }
            const Reply opened =
                co_await rig.send("POST", legacy_request("1", "initialize", R"("protocolVersion":"2025-11-25")"), {});
            EXPECT_EQ(opened.status, 400);
            EXPECT_EQ(opened.error(), -32022);
            EXPECT_EQ((co_await rig.modern("1", "tools/list", "", {{"Mcp-Session-Id", "stale"}})).status, 200);
        },
        options);
}

TEST(Rungs, ABodyInManyPiecesReadsTheSame) {
    run_rig([](Rig& rig) -> Task<void> {
        const std::string padding(300'000, 'x');
        const Reply reply = co_await rig.modern("1", "tools/call", call("echo", "{\"p\":\"" + padding + "\"}"));
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.error(), 0);
    });
}

TEST(Rungs, AnEndpointThatDrainsTakesNothingNew) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.endpoint->drain();
        EXPECT_EQ((co_await rig.modern("1", "tools/list")).status, 503);
        EXPECT_EQ((co_await rig.send("GET", "", {})).status, 503);
    });
}

}  // namespace
}  // namespace gantry::mcp::testing
