// Legacy sessions over Streamable HTTP.
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

TEST(LegacySession, InitializeAgreesOnTheVersionAndTellsItsRevisionOnly) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.backend.self->capabilities.completions = JsonObject{};
        for (const auto& [asked, agreed] :
             std::vector<std::pair<std::string, std::string>>{{"2025-06-18", "2025-06-18"},
                                                              {"2024-11-05", "2024-11-05"},
                                                              {"2026-07-28", "2025-11-25"},
                                                              {"1.0", "2025-11-25"}}) {
            CO_ASSERT(co_await rig.initialize(asked));
            EXPECT_EQ(rig.version, agreed);
        }
        const Reply old = co_await rig.send(
            "POST",
            legacy_request(
                "0", "initialize",
                R"("protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"a","version":"1"})"),
            {});
        EXPECT_EQ(old.json().at_pointer("/result/capabilities/completions"), nullptr);
        EXPECT_EQ(old.json().at_pointer("/result/resultType"), nullptr);
        EXPECT_EQ(old.json().at_pointer("/result/instructions")->dump(), "\"be kind\"");
        for (const char c : old.header("mcp-session-id")) EXPECT_TRUE(c > 0x20 && c < 0x7f);
    });
}

TEST(LegacySession, AnUnreadableIntroductionOpensNothing) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.send("POST", legacy_request("0", "initialize", R"("protocolVersion":7)"), {});
        EXPECT_EQ(reply.error(), -32602);
        EXPECT_EQ(reply.header("mcp-session-id"), "-");
        EXPECT_EQ(rig.endpoint->counts().sessions, 0u);
    });
}

TEST(LegacySession, AStaleIdDoesNotKeepAnybodyFromInitializing) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.session = "stale";
        const Reply reply = co_await rig.legacy(legacy_request(
            "0", "initialize",
            R"("protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"})"));
        EXPECT_EQ(reply.status, 200);
        EXPECT_NE(reply.header("mcp-session-id"), "-");
    });
}

TEST(LegacySession, MissingIs400AndEverythingThatDoesNotFitIs404) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.backend.demands = rig.other.demands = true;
        rig.token = "Bearer me";
        CO_ASSERT(co_await rig.initialize());
        const std::string good = rig.session;
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 200);
        EXPECT_EQ((co_await rig.legacy(kPing)).body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
        EXPECT_EQ((co_await rig.send("POST", kPing, rig.session_headers(), "/other")).status, 404);
        rig.session.clear();
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 400);
        rig.session = good.substr(0, good.size() - 2) + "xx";
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
        rig.session = "made-up";
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
        rig.session = good;
        rig.token = "Bearer somebody else";
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
        EXPECT_EQ((co_await rig.send("DELETE", "", rig.session_headers())).status, 404);
        rig.token = "Bearer me";
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 200);
        rig.version = "1999-01-01";
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 400);
    });
}

TEST(LegacySession, ANewProofOfTheSameIdentityIsSeenByTheBackend) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.backend.demands = true;  // makes a new Identity for every request
        rig.token = "Bearer me";
        CO_ASSERT(co_await rig.initialize());
        for (const char* id : {"1", "2"}) (void)co_await rig.legacy(legacy_request(id, "tools/list"));
        CO_ASSERT(rig.backend.peers.size() == 2);
        EXPECT_NE(rig.backend.peers[0]->identity, rig.backend.peers[1]->identity);
        EXPECT_EQ(rig.backend.peers[0]->session, rig.backend.peers[1]->session);
    });
}

TEST(LegacySession, DeleteEndsItForGood) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        EXPECT_EQ(rig.endpoint->counts().sessions, 1u);
        EXPECT_EQ((co_await rig.send("DELETE", "", rig.session_headers())).status, 204);
        EXPECT_EQ(rig.backend.ended.size(), 1u);
        EXPECT_EQ(rig.endpoint->counts().sessions, 0u);
        EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
        EXPECT_EQ((co_await rig.send("DELETE", "", rig.session_headers())).status, 404);
    });
}

TEST(LegacySession, SurvivesARestartInItsId) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize("2025-06-18", R"({"roots":{"listChanged":true}})"));
        (void)co_await rig.legacy(legacy_request("1", "tools/list"));
        co_await rig.restart();
        EXPECT_EQ(rig.endpoint->counts().sessions, 0u);
        EXPECT_EQ((co_await rig.legacy(legacy_request("1", "tools/list"))).status, 200);
        CO_ASSERT(rig.backend.peers.size() == 2);
        const Peer& before = *rig.backend.peers[0];
        const Peer& after = *rig.backend.peers[1];
        EXPECT_EQ(after.session, before.session);
        EXPECT_EQ(after.revision, Revision::k2025_06_18);
        EXPECT_EQ(after.capabilities, before.capabilities);
        EXPECT_EQ(after.info->name, "test");
    });
}

TEST(LegacySession, AfterARestartItsClientIsToldThatListsMayHaveChanged) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        co_await rig.restart();
        auto stream = co_await rig.open("GET", "", rig.session_headers());
        CO_ASSERT(stream && stream->status() == 200);
        EXPECT_EQ((co_await stream->message()).string_at("method"), "notifications/tools/list_changed");
        EXPECT_EQ((co_await stream->message()).string_at("method"), "notifications/resources/list_changed");
        stream->abort();
    });
}

TEST(LegacySession, TheLeastRecentlyUsedGiveWayAndComeBack) {
    HttpEndpointOptions options;
    options.max_sessions = 2;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            const std::string first = rig.session;
            CO_ASSERT(co_await rig.initialize());
            CO_ASSERT(co_await rig.initialize());
            EXPECT_EQ(rig.endpoint->counts().sessions, 2u);
            rig.session = first;
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 200);
            EXPECT_EQ(rig.endpoint->counts().sessions, 2u);
            EXPECT_TRUE(rig.backend.ended.empty()) << "they are not over";
        },
        options);
}

TEST(LegacySession, ExpiresWhenUnusedAndInTheEnd) {
    HttpEndpointOptions options;
    options.session_idle = Duration::zero();
    run_rig(
        [](Rig& rig) -> Task<void> {
            (void)co_await rig.initialize();  // ends before initialized is sent
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
            EXPECT_EQ(rig.backend.ended.size(), 1u);
        },
        options);
    options = {};
    options.session_lifetime = Duration::zero();
    run_rig(
        [](Rig& rig) -> Task<void> {
            (void)co_await rig.initialize();
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
        },
        options);
}

TEST(LegacySession, UnknownMethodsAre200SoThatNobodyTakesTheSessionForGone) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        for (const char* method : {"unknown/method", "server/discover", "subscriptions/listen", "roots/list"}) {
            const Reply reply = co_await rig.legacy(legacy_request("1", method));
            EXPECT_EQ(reply.status, 200) << method;
            EXPECT_EQ(reply.error(), -32601) << method;
        }
    });
}

TEST(LegacySession, RemembersTheLogLevel) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        EXPECT_THAT((co_await rig.legacy(legacy_request("1", "level"))).body, HasSubstr("none"));
        EXPECT_EQ((co_await rig.legacy(legacy_request("2", "logging/setLevel", R"("level":"error")"))).body,
                  R"({"jsonrpc":"2.0","id":2,"result":{}})");
        EXPECT_THAT((co_await rig.legacy(legacy_request("3", "level"))).body, HasSubstr("error"));
        EXPECT_EQ((co_await rig.legacy(legacy_request("4", "logging/setLevel", R"("level":"loud")"))).error(), -32602);
        rig.backend.self->capabilities.logging.reset();
        EXPECT_EQ((co_await rig.legacy(legacy_request("5", "logging/setLevel", R"("level":"info")"))).error(), -32601);
    });
}

TEST(LegacySession, CancelledEndsTheCallWithoutAnAnswerAndADisconnectDoesNot) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        Scope scope(patiently());
        constexpr auto kWait = [](Rig& on) -> Task<void> {
            const Reply reply = co_await on.legacy(legacy_request("\"w\"", "tools/call", call("wait")));
            EXPECT_EQ(reply.status, 200);
            EXPECT_EQ(reply.body, "");
        };
        scope.spawn(kWait(rig));
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.waiting == 1; }));
        const Reply twice = co_await rig.legacy(legacy_request("\"w\"", "tools/list"));
        EXPECT_EQ(twice.status, 400);
        EXPECT_EQ(twice.error(), -32600);
        const Reply noted =
            co_await rig.legacy(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}})");
        EXPECT_EQ(noted.status, 202);
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.cancelled == 1; }));
        co_await scope.join();
        EXPECT_EQ(
            (co_await rig.legacy(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})"))
                .status,
            202);
        EXPECT_EQ((co_await rig.legacy(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})")).status,
                  202);
        EXPECT_THAT(rig.backend.noted, ElementsAre("notifications/roots/list_changed null"));
    });
}

TEST(LegacySession, BatchesAreForOneRevisionOnly) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize("2025-03-26"));
        const std::string batch =
            "[" + legacy_request("1", "ping") + R"(,{"jsonrpc":"2.0","method":"notifications/x"},)" +
            legacy_request("2", "tools/call", call("progress")) + "," + legacy_request("3", "initialize") +
            R"(,7,{"jsonrpc":"2.0","id":4,"method":"tools/list"}])";
        const Reply reply = co_await rig.legacy(batch);
        EXPECT_EQ(reply.status, 200);
        const Json answers = reply.json();
        CO_ASSERT(answers.if_array() != nullptr && answers.if_array()->size() == 5);
        EXPECT_EQ(answers.at(0)->dump(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
        EXPECT_EQ(answers.at(1)->find("id")->dump(), "2");
        EXPECT_EQ(answers.at(2)->at_pointer("/error/code")->dump(), "-32600");
        EXPECT_EQ(answers.at(3)->at_pointer("/error/code")->dump(), "-32600");
        EXPECT_EQ(answers.at(4)->at_pointer("/result/tools")->dump(), "[]");
        EXPECT_EQ((co_await rig.legacy(R"([{"jsonrpc":"2.0","method":"notifications/x"}])")).status, 202);
        EXPECT_EQ((co_await rig.legacy("[]")).error(), -32600);
        EXPECT_EQ((co_await rig.legacy("[" + modern_body("1", "tools/list") + "]")).error(), -32600);
        CO_ASSERT(co_await rig.initialize("2025-06-18"));
        const Reply refused = co_await rig.legacy("[" + legacy_request("1", "ping") + "]");
        EXPECT_EQ(refused.status, 400);
        EXPECT_EQ(refused.error(), -32600);
    });
}

TEST(LegacySession, OnlyWhatTheClientAcceptsIsSent) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        Fields fields = rig.session_headers();
        fields.emplace_back("Accept", "text/html");
        EXPECT_EQ((co_await rig.send("POST", kPing, fields)).status, 406);
        fields.back().second = "text/event-stream";
        const Reply stream = co_await rig.send("POST", kPing, fields);
        EXPECT_TRUE(stream.is_stream());
        CO_ASSERT(stream.messages().size() == 1);
        fields.back().second = "application/json";
        EXPECT_EQ((co_await rig.send("GET", "", fields)).status, 406);
    });
}

TEST(LegacyStateless, EveryPostStandsAlone) {
    HttpEndpointOptions options;
    options.stateless = true;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize("2025-06-18"));
            EXPECT_EQ(rig.session, "");
            EXPECT_EQ((co_await rig.legacy(legacy_request("1", "tools/list"))).status, 200);
            EXPECT_EQ(rig.backend.peers.back()->revision, Revision::k2025_06_18);
            EXPECT_EQ(rig.backend.peers.back()->session, "");
            EXPECT_EQ((co_await rig.send("POST", legacy_request("1", "tools/list"), {})).status, 200);
            EXPECT_EQ(rig.backend.peers.back()->revision, Revision::k2025_03_26);
            EXPECT_EQ((co_await rig.send("GET", "", {})).status, 405);
            EXPECT_EQ((co_await rig.send("DELETE", "", {})).status, 405);
            EXPECT_THAT((co_await rig.legacy(legacy_request("2", "tools/call", call("ask")))).body,
                        HasSubstr("unsupported"));
            EXPECT_EQ((co_await rig.legacy(legacy_request("3", "resources/subscribe", R"("uri":"a:b")"))).error(),
                      -32601);
            EXPECT_EQ((co_await rig.legacy(legacy_request("4", "tools/call", call("progress")))).messages().size(), 3u);
        },
        options);
}

}  // namespace
}  // namespace gantry::mcp::testing
