// Which callers share a connection.

#include "gateway/sources/mcp/test_rig.hpp"

namespace gantry::gateway::testing {
namespace {

TEST(Sharing, AModernServerIsSharedByEverybody) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        Caller bob("bob", kLegacy, R"({"sampling":{}})");
        bob.line.askable = true;
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"a"})"})), "a");
        const Json declared =
            *rig.server.last.at("tools/call").params.at_pointer("/_meta/io.modelcontextprotocol~1clientCapabilities");
        EXPECT_EQ(declared, parse(kElicits)) << "each request says what its own client can do";
        EXPECT_EQ(rig.server.peers.size(), 1u);
        for (int i = 0; i < 2; ++i) {
            EXPECT_EQ(text_of(co_await rig.call(bob, "echo", {.arguments = R"({"word":"b"})"})), "b");
        }
        EXPECT_EQ(rig.server.peers.size(), 2u) << "it was asked once whether it opens legacy sessions";
        EXPECT_EQ(rig.source->lanes(), 0u);
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.open_peers() == 1; }));
    });
}

TEST(Sharing, AClientThatCannotBeReachedIsNotOfferedToTheServer) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller bob("bob", kLegacy, kElicits);
        EXPECT_EQ(text_of(co_await rig.call(bob, "echo", {.arguments = R"({"word":"b"})"})), "b");
        const Json declared =
            *rig.server.last.at("tools/call").params.at_pointer("/_meta/io.modelcontextprotocol~1clientCapabilities");
        EXPECT_EQ(declared, parse("{}"));
    });
}

TEST(Sharing, ALegacyChildIsSharedByClientsThatCannotBeAsked) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        Caller bob("bob", kLegacy);
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"a"})"})), "a");
        EXPECT_EQ(text_of(co_await rig.call(bob, "echo", {.arguments = R"({"word":"b"})"})), "b");
        EXPECT_EQ(rig.server.peers.size(), 1u);
        EXPECT_EQ(rig.server.peers.front()->capabilities, parse("{}"));
    });
}

TEST(Sharing, ALegacyChildOfClientsThatCanBeAskedBelongsToOnePrincipalAndCapabilitySet) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        Caller bob("bob", kModern, kElicits);
        Caller ada_samples("ada", kModern, R"({"sampling":{}})");
        for (Caller* caller : {&ada, &bob, &ada_samples, &ada, &bob}) {
            EXPECT_EQ(text_of(co_await rig.call(*caller, "echo", {.arguments = R"({"word":"x"})"})), "x");
        }
        CO_ASSERT(rig.server.peers.size() == 4);
        EXPECT_EQ(rig.server.peers[0]->capabilities, parse("{}"));
        EXPECT_EQ(rig.server.peers[1]->capabilities, parse(kElicits));
        EXPECT_EQ(rig.server.peers[2]->capabilities, parse(kElicits));
        EXPECT_EQ(rig.server.peers[3]->capabilities, parse(R"({"sampling":{}})"));
        EXPECT_EQ(rig.source->lanes(), 3u);
    });
}

TEST(Sharing, LanesServeOneCallAtATimeAndTheRestWaitInOrder) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.max_lanes = 2;
        rig.server.tool("slow", wait_for_gate);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        std::vector<std::shared_ptr<Running>> running;
        for (int i = 0; i < 5; ++i) running.push_back(rig.begin(ada, "slow"));
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 2; }));
        EXPECT_EQ(rig.source->lanes(), 2u);
        rig.server.gate = true;
        for (const auto& one : running) {
            CO_ASSERT(co_await rig.until([&one] { return one->output.has_value(); }));
            EXPECT_EQ(text_of(*one->output), "through");
        }
        EXPECT_EQ(rig.server.peers.size(), 3u) << "the shared one and two lanes";
    });
}

TEST(Sharing, WaitingForALaneEndsWithTheCallersTime) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.max_lanes = 1;
        rig.server.tool("slow", wait_for_gate);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto first = rig.begin(ada, "slow");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 1; }));
        const auto late = co_await rig.call(ada, "slow", {.ctx = Context::background().within(milliseconds(30))});
        CO_ASSERT(!late);
        EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
        EXPECT_NE(late.error().message().find("scripted"), std::string::npos) << late.error().message();
        rig.server.gate = true;
        CO_ASSERT(co_await rig.until([&first] { return first->output.has_value(); }));
        EXPECT_EQ(text_of(*first->output), "through");
        EXPECT_EQ(text_of(co_await rig.call(ada, "slow")), "through");
    });
}

TEST(Sharing, IdleLanesCloseAndStartAgainOnDemand) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.idle_close = milliseconds(20);
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->lanes() == 0 && rig.server.open_peers() == 1; }));
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"y"})"})), "y");
        EXPECT_EQ(rig.server.peers.size(), 3u);
    });
}

TEST(Sharing, ALaneThatDiesIdleIsNotMissed) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
        co_await rig.server.peers.back()->connection->close();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->lanes() == 0; }));
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"y"})"})), "y");
    });
}

TEST(Sharing, ALegacyHttpServerGetsASessionPerPrincipalAndCapabilitySet) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.wire = mcp::Wire::kHttp;
        rig.spec.url = "http://127.0.0.1:1/mcp";
        rig.server.tool("slow", wait_for_gate);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        Caller ada_plain("ada");
        Caller bob("bob");
        std::vector<std::shared_ptr<Running>> running;
        for (int i = 0; i < 3; ++i) {
            running.push_back(rig.begin(ada, "slow"));
            running.push_back(rig.begin(ada_plain, "slow"));
            running.push_back(rig.begin(bob, "slow"));
        }
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 9; }));
        EXPECT_EQ(rig.source->lanes(), 3u) << "many calls at once on each";
        EXPECT_EQ(rig.server.peers.size(), 4u) << "each started once, whoever waited for it";
        rig.server.gate = true;
        for (const auto& one : running) CO_ASSERT(co_await rig.until([&one] { return one->output.has_value(); }));
    });
}

TEST(Sharing, AQuestionThatCouldBelongToTwoCallsReachesNobody) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.wire = mcp::Wire::kHttp;
        rig.spec.url = "http://127.0.0.1:1/mcp";
        rig.server.tool("slow", wait_for_gate);
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kLegacy, kElicits);
        ada.line.askable = true;
        const auto other = rig.begin(ada, "slow");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 1; }));
        EXPECT_TRUE(text_of(co_await rig.call(ada, "greet")).starts_with("refused"))
            << "it came on no call's stream, and two calls are in flight";
        EXPECT_TRUE(ada.line.questions.empty());
        rig.server.gate = true;
        CO_ASSERT(co_await rig.until([&other] { return other->output.has_value(); }));
    });
}

TEST(Sharing, PerClientFollowsTheClientsSessionAndEndsWithIt) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.sharing = Sharing::kPerClient;
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller one("ada", kLegacy, "{}", "session-1");
        Caller two("ada", kLegacy, "{}", "session-2");
        Caller modern("ada");
        for (Caller* caller : {&one, &two, &modern, &one}) {
            EXPECT_EQ(text_of(co_await rig.call(*caller, "echo", {.arguments = R"({"word":"x"})"})), "x");
        }
        EXPECT_EQ(rig.source->lanes(), 3u);
        rig.source->client_gone("session-1");
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->lanes() == 2 && rig.server.open_peers() == 3; }));
    });
}

TEST(Sharing, PerPrincipalIsOneConnectionEach) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.spec.sharing = Sharing::kPerPrincipal;
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        Caller ada_plain("ada");
        Caller bob("bob");
        for (Caller* caller : {&ada, &bob, &ada_plain}) {
            EXPECT_EQ(text_of(co_await rig.call(*caller, "echo", {.arguments = R"({"word":"x"})"})), "x");
        }
        EXPECT_EQ(rig.source->lanes(), 2u);
    });
}

TEST(Sharing, PerCallIsAConnectionForEachCall) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.sharing = Sharing::kPerCall;
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
        }
        EXPECT_EQ(rig.server.peers.size(), 4u);
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->lanes() == 0 && rig.server.open_peers() == 1; }));
    });
}

TEST(Sharing, ExplicitlySharedMeansNobodyIsAsked) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.sharing = Sharing::kShared;
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        EXPECT_EQ(text_of(co_await rig.call(ada, "greet")), "refused -32601");
        EXPECT_EQ(rig.server.peers.size(), 1u);
    });
}

TEST(Sharing, TooManyConnectionsAreRefusedUnlessOneIsIdle) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.max_lanes_total = 2;
        rig.server.tool("slow", wait_for_gate);
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        Caller bob("bob", kModern, kElicits);
        Caller eve("eve", kModern, kElicits);
        const auto held = rig.begin(ada, "slow");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 1; }));
        EXPECT_EQ(text_of(co_await rig.call(bob, "echo", {.arguments = R"({"word":"x"})"})), "x");
        EXPECT_EQ(text_of(co_await rig.call(eve, "echo", {.arguments = R"({"word":"y"})"})), "y")
            << "bob's idle lane made room";
        const auto second = rig.begin(eve, "slow");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 4; }));
        const auto refused = co_await rig.call(bob, "echo");
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
        rig.server.gate = true;
        CO_ASSERT(co_await rig.until([&] { return held->output && second->output; }));
    });
}

}  // namespace
}  // namespace gantry::gateway::testing
