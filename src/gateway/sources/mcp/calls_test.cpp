// What a call sends, and how its outcome is reported.

#include "gateway/sources/mcp/test_rig.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway::testing {
namespace {

constexpr const char* kDeclared = "/_meta/io.modelcontextprotocol~1clientCapabilities";

TEST(Calls, TheNameIsTheServersOwnAndTheRestStaysAsItCame) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.tool("echo", echo);
            CO_ASSERT(co_await rig.start());
            Caller ada("ada");
            const auto said = co_await rig.call(
                ada, "echo",
                {.arguments = R"({"word":"x","n":1.50,"big":12345678901234567890})", .public_name = "srv_echo"});
            EXPECT_EQ(text_of(said), "x");
            const ReceivedRequest& asked = rig.server.last.at("tools/call");
            EXPECT_EQ(asked.text("/name"), "echo");
            EXPECT_EQ(asked.params.find("arguments")->dump(), R"({"word":"x","n":1.50,"big":12345678901234567890})");
            EXPECT_EQ(said->revision, rig.server.revision);
        });
    }
}

constexpr const char* kCorrelation = "/_meta/io.gantry~1correlationId";

TEST(Calls, EveryServerIsToldTheCorrelationId) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.tool("echo", echo);
            rig.server.tool("greet", greet);
            CO_ASSERT(co_await rig.start());
            Caller ada("ada");
            EXPECT_EQ(
                text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})", .correlation_id = "c-1"})),
                "x");
            EXPECT_EQ(rig.server.last.at("tools/call").text(kCorrelation), "c-1");
            const std::string theirs = R"("_meta":{"io.gantry/correlationId":"theirs"})";
            EXPECT_EQ(text_of(co_await rig.call(
                          ada, "echo", {.arguments = R"({"word":"y"})", .more = theirs, .correlation_id = "c-2"})),
                      "y");
            EXPECT_EQ(rig.server.last.at("tools/call").text(kCorrelation), "c-2");
            // A call that may have to wait for its client takes another way.
            Caller asked("bob", rig.server.revision, kElicits);
            asked.line.askable = true;
            EXPECT_TRUE(co_await rig.call(asked, "echo", {.arguments = R"({"word":"z"})", .correlation_id = "c-3"}));
            EXPECT_EQ(rig.server.last.at("tools/call").text(kCorrelation), "c-3");
        });
    }
}

Task<Script::Answer> counting(PeerPtr peer, ReceivedRequest asked) {
    if (const Json* token = asked.params.at_pointer("/_meta/progressToken")) {
        for (int i = 1; i <= 2; ++i) {
            co_await peer->notify("notifications/progress",
                                  JsonObject{{"progressToken", *token}, {"progress", i}, {"message", "step"}});
        }
    }
    co_return said("counted");
}

TEST(Calls, ProgressReachesWhoWantsItWithoutTheHopsToken) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("count", counting);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        EXPECT_EQ(text_of(co_await rig.call(ada, "count")), "counted");
        EXPECT_TRUE(ada.line.progresses.empty());
        ada.line.progress_wanted = true;
        EXPECT_EQ(text_of(co_await rig.call(ada, "count", {.more = R"("_meta":{"progressToken":"mine"})"})), "counted");
        CO_ASSERT(ada.line.progresses.size() == 2);
        EXPECT_EQ(ada.line.progresses[0], R"({"progress":1,"message":"step"})");
    });
}

Task<Script::Answer> chatty(PeerPtr peer, ReceivedRequest) {
    for (const char* level : {"debug", "warning", "error"}) {
        co_await peer->notify("notifications/message", JsonObject{{"level", level}, {"data", level}});
    }
    co_return said("done");
}

TEST(Calls, ALegacyServerLogsEverythingAndEachCallGetsWhatItWants) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.capabilities.set("logging", JsonObject{});
        rig.server.tool("chat", chatty);
        CO_ASSERT(co_await rig.start());
        Caller quiet("ada");
        EXPECT_EQ(text_of(co_await rig.call(quiet, "chat")), "done");
        EXPECT_EQ(rig.server.count("logging/setLevel"), 0u);
        Caller ada("ada");
        ada.line.level = mcp::LogLevel::kWarning;
        EXPECT_EQ(text_of(co_await rig.call(ada, "chat")), "done");
        EXPECT_EQ(text_of(co_await rig.call(ada, "chat")), "done");
        EXPECT_EQ(rig.server.count("logging/setLevel"), 1u);
        EXPECT_EQ(rig.server.last.at("logging/setLevel").text("/level"), "debug");
        EXPECT_EQ(ada.line.logs.size(), 4u);
        EXPECT_TRUE(quiet.line.logs.empty());
    });
}

TEST(Calls, AClientThatSetNoLevelGetsWhatALegacyServerLogsUnasked) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.capabilities.set("logging", JsonObject{});
        rig.server.tool("chat", chatty);
        CO_ASSERT(co_await rig.start());
        Caller bob("bob", kLegacy);
        bob.line.takes_logs = true;
        EXPECT_EQ(text_of(co_await rig.call(bob, "chat")), "done");
        EXPECT_EQ(bob.line.logs.size(), 3u);
        EXPECT_EQ(rig.server.count("logging/setLevel"), 0u);
        Caller ada("ada", kLegacy);
        ada.line.level = mcp::LogLevel::kDebug;
        EXPECT_EQ(text_of(co_await rig.call(ada, "chat")), "done");
        EXPECT_EQ(text_of(co_await rig.call(bob, "chat")), "done");
        EXPECT_EQ(bob.line.logs.size(), 5u) << "not the details that only ada asked for";
    });
}

TEST(Calls, AModernServerHearsTheLevelWithTheRequest) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        ada.line.level = mcp::LogLevel::kError;
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
        EXPECT_EQ(rig.server.last.at("tools/call").text("/_meta/io.modelcontextprotocol~1logLevel"), "error");
    });
}

Task<Script::Answer> modern_greet(PeerPtr, ReceivedRequest asked) {
    const Json* name = asked.params.at_pointer("/inputResponses/who/content/name");
    if (name != nullptr) co_return said(*name->if_string() + " with " + asked.text("/requestState"));
    if (asked.params.find("requestState") != nullptr) co_return said("a state nobody gave");
    co_return parse(R"({"resultType":"input_required","requestState":"s 1","inputRequests":
        {"who":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}}})");
}

TEST(Calls, AModernServersQuestionsComeBackWithAStateThatResumes) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", modern_greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked);
        EXPECT_EQ(asked->kind, Output::Kind::kInputRequired);
        EXPECT_EQ(key_of(*asked), "who");
        const auto done =
            co_await rig.call(ada, "greet", {.state = asked->state, .responses = accept_all(*asked, "Ada")});
        EXPECT_EQ(text_of(done), "Ada with s 1");
    });
}

TEST(Calls, AModernServerThatAsksWhatWasNotOfferedBreaksTheRules) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", modern_greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, R"({"sampling":{}})");
        const auto refused = co_await rig.call(ada, "greet");
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kProtocol);
        EXPECT_NE(refused.error().message().find("elicitation/create"), std::string::npos) << why(refused);
    });
}

Task<Script::Answer> odd_result(PeerPtr, ReceivedRequest) {
    co_return parse(R"({"resultType":"surprise","content":[]})");
}

TEST(Calls, AnUnknownResultTypeIsAnError) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("odd", odd_result);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        const auto refused = co_await rig.call(ada, "odd");
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kProtocol);
    });
}

Task<Script::Answer> visit_first(PeerPtr peer, ReceivedRequest) {
    if (peer->script.gate) co_return said("let in");
    peer->script.gate = true;
    co_return std::unexpected(RpcError{
        .code = -32042,
        .message = "log in first",
        .data =
            R"({"elicitations":[{"mode":"url","message":"log in","url":"https://a.example/x","elicitationId":"e"}]})"});
}

TEST(Calls, APageToVisitIsAskedForAndTheCallMadeAgain) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("guarded", visit_first);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, R"({"elicitation":{"url":{}}})");
        const auto asked = co_await rig.call(ada, "guarded");
        CO_ASSERT(asked);
        CO_ASSERT(asked->kind == Output::Kind::kInputRequired);
        const Json questions = parse(asked->questions);
        const Json& question = questions.if_object()->begin()->second;
        EXPECT_EQ(question.find("params")->dump(), R"({"mode":"url","message":"log in","url":"https://a.example/x"})");
        const std::string declined = R"({")" + key_of(*asked) + R"(":{"action":"decline"}})";
        const auto left = co_await rig.call(ada, "guarded", {.state = asked->state, .responses = declined});
        CO_ASSERT(left);
        EXPECT_EQ(*parse(left->result()).find("isError"), Json(true));
        const std::string accepted = R"({")" + key_of(*asked) + R"(":{"action":"accept"}})";
        EXPECT_EQ(text_of(co_await rig.call(ada, "guarded", {.state = asked->state, .responses = accepted})), "let in");
        EXPECT_EQ(rig.server.last.at("tools/call").params.find("inputResponses"), nullptr);
    });
}

TEST(Calls, AModernClientThatCannotVisitPagesIsToldWhatItLacks) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("guarded", visit_first);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        EXPECT_EQ(code_of(co_await rig.call(ada, "guarded")), -32021);
        rig.server.gate = false;
        Caller old("bob", kLegacy);
        EXPECT_EQ(code_of(co_await rig.call(old, "guarded")), -32042) << "a legacy client gets it as it is";
    });
}

Task<Script::Answer> no_resource(PeerPtr, ReceivedRequest asked) {
    co_return std::unexpected(mcp::resource_not_found(asked.text("/uri"), kLegacy));
}

TEST(Calls, TheServersOwnErrorsComeInItsWords) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.on("resources/read", no_resource);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        const auto missing = co_await rig.call(ada, "a://b", {.verb = Verb::kReadResource, .public_name = "x://b"});
        EXPECT_EQ(code_of(missing), -32002);
        EXPECT_EQ(missing.error().server(), "scripted");
        EXPECT_EQ(rig.server.last.at("resources/read").text("/uri"), "a://b");
    });
}

Task<Script::Answer> complete(PeerPtr, ReceivedRequest asked) {
    co_return JsonObject{{"completion", JsonObject{{"values", JsonArray{asked.text("/ref/name")}}}}};
}

TEST(Calls, ACompletionNamesThePromptAsTheServerDoes) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.on("completion/complete", complete);
            CO_ASSERT(co_await rig.start());
            Caller ada("ada", kModern, kElicits);
            const auto done = co_await rig.call(
                ada, "review",
                {.verb = Verb::kComplete,
                 .public_name = "srv_review",
                 .more = R"("ref":{"type":"ref/prompt","name":"srv_review"},"argument":{"name":"a","value":"b"})"});
            CO_ASSERT(done);
            EXPECT_EQ(parse(done->result()).at_pointer("/completion/values/0")->dump(), R"("review")");
            EXPECT_EQ(rig.source->lanes(), 0u) << "nothing is asked while completing";
        });
    }
}

TEST(Calls, AServerThatDoesNotAnswerIsNamedWithItsTool) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.timeout = milliseconds(40);
        rig.server.tool("slow", wait_for_gate);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        const auto late = co_await rig.call(ada, "slow");
        CO_ASSERT(!late);
        EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
        EXPECT_EQ(late.error().tool(), "slow");
        EXPECT_NE(late.error().message().find("'slow' on server 'scripted'"), std::string::npos)
            << late.error().message();
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("notifications/cancelled") == 1; }));
    });
}

Task<Script::Answer> die(PeerPtr peer, ReceivedRequest) {
    co_await peer->connection->close();
    co_return said("never heard");
}

TEST(Calls, ALostCallIsRepeatedOnlyIfThatIsSafe) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("die", die);
        rig.server.tool("read", die, {{"annotations", JsonObject{{"readOnlyHint", true}}}});
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        const auto lost = co_await rig.call(ada, "die");
        CO_ASSERT(!lost);
        EXPECT_EQ(lost.error().code(), ErrorCode::kOutcomeUnknown);
        EXPECT_EQ(rig.server.count("tools/call"), 1u);
        const auto read = co_await rig.call(ada, "read");
        EXPECT_FALSE(read);
        EXPECT_GT(rig.server.count("tools/call"), 2u);
    });
}

TEST(Calls, WhetherHintsAreTrustedIsDecidedForEachCallOnTheSameConnection) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("read", die, {{"annotations", JsonObject{{"readOnlyHint", true}}}});
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        rig.source->set_retry({.trust_hints = false});
        EXPECT_FALSE(co_await rig.call(ada, "read"));
        EXPECT_EQ(rig.server.count("tools/call"), 1u);
        rig.source->set_retry({.trust_hints = true});
        EXPECT_FALSE(co_await rig.call(ada, "read"));
        EXPECT_GT(rig.server.count("tools/call"), 2u);
    });
}

TEST(Calls, ExtensionsOfTheClientPassButNotWhatTheGatewayCannotCarry) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada(
            "ada", kModern,
            R"({"roots":{"listChanged":true},"experimental":{"x":{}},"extensions":{"io.modelcontextprotocol/ui":{}}})");
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
        EXPECT_EQ(*rig.server.last.at("tools/call").params.at_pointer(kDeclared),
                  parse(R"({"roots":{},"extensions":{"io.modelcontextprotocol/ui":{}}})"));
    });
}

Task<Script::Answer> large(PeerPtr, ReceivedRequest) {
    co_return said(std::string(3u << 20, 'x'));
}

Task<std::size_t> drain(OutputStream& stream) {
    std::size_t total = 0;
    for (;;) {
        auto piece = co_await stream.next(watchdog());
        if (!piece) {
            ADD_FAILURE() << piece.error().to_string();
            co_return 0;
        }
        if (!*piece) co_return total;
        total += (*piece)->size();
    }
}

TEST(Calls, ALargeResultIsAllThere) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.tool("large", large);
            CO_ASSERT(co_await rig.start());
            for (const std::string& capabilities : {std::string("{}"), kElicits}) {
                Caller ada("ada", kModern, capabilities);
                auto output = co_await rig.call(ada, "large");
                CO_ASSERT(output);
                const std::size_t size = output->stream ? co_await drain(*output->stream) : output->result().size();
                EXPECT_GT(size, std::size_t{3} << 20);
            }
        });
    }
}

}  // namespace
}  // namespace gantry::gateway::testing
