// A legacy server asks in the middle of a call: clients that can be asked are asked, others come back with the answers.

#include <algorithm>

#include "gateway/sources/mcp/test_rig.hpp"

namespace gantry::gateway::testing {
namespace {

TEST(Asking, AClientThatCanBeAskedIsAskedAtOnce) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kLegacy, kElicits);
        ada.line.askable = true;
        EXPECT_EQ(text_of(co_await rig.call(ada, "greet")), "accept Ada");
        CO_ASSERT(ada.line.questions.size() == 1);
        EXPECT_EQ(ada.line.questions[0].first, "elicitation/create");
        EXPECT_EQ(parse(ada.line.questions[0].second).string_at("message"), "What is your name?");
    });
}

TEST(Asking, GivingUpTheCallEndsTheQuestion) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kLegacy, kElicits);
        ada.line.askable = true;
        ada.line.answer = "";
        const auto running = rig.begin(ada, "greet");
        CO_ASSERT(co_await rig.until([&ada] { return ada.line.questions.size() == 1; }));
        running->stop.cancel();
        CO_ASSERT(co_await rig.until([&running] { return running->output.has_value(); }));
        CO_ASSERT(!*running->output);
        EXPECT_EQ(running->output->error().code(), ErrorCode::kCancelled);
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("notifications/cancelled") == 1; }));
    });
}

TEST(Asking, WhatTheClientDidNotOfferIsRefused) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kLegacy, R"({"sampling":{}})");
        ada.line.askable = true;
        EXPECT_EQ(text_of(co_await rig.call(ada, "greet")), "refused -32601");
        EXPECT_TRUE(ada.line.questions.empty());
    });
}

TEST(Parking, TheQuestionComesBackAsInputRequiredAndTheAnswerFinishesTheCall) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked);
        EXPECT_EQ(asked->kind, Output::Kind::kInputRequired);
        CO_ASSERT(asked->state);
        const Json questions = parse(asked->questions);
        CO_ASSERT(questions.if_object()->size() == 1);
        const Json& question = questions.if_object()->begin()->second;
        EXPECT_EQ(question.string_at("method"), "elicitation/create");
        EXPECT_EQ(question.at_pointer("/params/_meta"), nullptr) << "what belongs to the other hop is gone";
        EXPECT_EQ(question.find("params")->string_at("message"), "What is your name?");
        EXPECT_EQ(rig.source->parked(), 1u);

        const auto done =
            co_await rig.call(ada, "greet", {.state = asked->state, .responses = accept_all(*asked, "Ada")});
        EXPECT_EQ(text_of(done), "accept Ada");
        EXPECT_EQ(done->kind, Output::Kind::kComplete);
        EXPECT_EQ(rig.server.count("tools/call"), 1u) << "it ran once";
        EXPECT_EQ(rig.source->parked(), 0u);
        EXPECT_EQ(rig.server.count("notifications/cancelled"), 0u);
    });
}

Task<Script::Answer> greet_twice(PeerPtr peer, ReceivedRequest asked) {
    auto first = co_await greet(peer, asked);
    auto second = co_await greet(peer, asked);
    co_return said(first->at_pointer("/content/0/text")->dump() + second->at_pointer("/content/0/text")->dump());
}

TEST(Parking, EveryRoundHasAStateOfItsOwn) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("twice", greet_twice);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto first = co_await rig.call(ada, "twice");
        CO_ASSERT(first && first->state);
        const auto second =
            co_await rig.call(ada, "twice", {.state = first->state, .responses = accept_all(*first, "A")});
        CO_ASSERT(second && second->state);
        EXPECT_EQ(second->kind, Output::Kind::kInputRequired);
        EXPECT_NE(first->state, second->state);
        EXPECT_NE(key_of(*first), key_of(*second));
        const auto replayed =
            co_await rig.call(ada, "twice", {.state = first->state, .responses = accept_all(*first, "A")});
        EXPECT_EQ(code_of(replayed), -32602);
        const auto done =
            co_await rig.call(ada, "twice", {.state = second->state, .responses = accept_all(*second, "B")});
        EXPECT_EQ(text_of(done), R"("accept A""accept B")");
    });
}

Task<Script::Answer> ask_two(PeerPtr peer, ReceivedRequest) {
    const Json params = JsonObject{{"message", "?"}, {"requestedSchema", JsonObject{{"type", "object"}}}};
    const std::string one = co_await peer->post("elicitation/create", params);
    const std::string two = co_await peer->post("elicitation/create", params);
    (void)co_await peer->script.until(
        [&] { return !peer->open || (peer->answers.contains(one) && peer->answers.contains(two)); });
    co_return said("both");
}

TEST(Parking, QuestionsThatComeTogetherAreAskedTogetherAndMissingAnswersAgain) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.coalesce = milliseconds(200);
        rig.server.tool("two", ask_two);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "two");
        CO_ASSERT(asked);
        CO_ASSERT(parse(asked->questions).if_object()->size() == 2);
        const std::string only =
            R"({")" + key_of(*asked, 1) + R"(":{"action":"decline"},"unknown":{"action":"accept"}})";
        const auto rest = co_await rig.call(ada, "two", {.state = asked->state, .responses = only});
        CO_ASSERT(rest);
        EXPECT_EQ(rest->kind, Output::Kind::kInputRequired);
        CO_ASSERT(parse(rest->questions).if_object()->size() == 1);
        EXPECT_EQ(key_of(*rest), key_of(*asked, 0));
        const auto done = co_await rig.call(ada, "two", {.state = rest->state, .responses = accept_all(*rest, "x")});
        EXPECT_EQ(text_of(done), "both");
    });
}

TEST(Parking, MalformedAnswersAreRefusedAndTheCallWaitsOn) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked);
        const std::string wrong = R"({")" + key_of(*asked) + R"(":{"method":"elicitation/create","result":{}}})";
        EXPECT_EQ(code_of(co_await rig.call(ada, "greet", {.state = asked->state, .responses = wrong})), -32602);
        const auto done =
            co_await rig.call(ada, "greet", {.state = asked->state, .responses = accept_all(*asked, "Ada")});
        EXPECT_EQ(text_of(done), "accept Ada");
    });
}

TEST(Parking, NobodyElseCanResumeIt) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet);
        rig.server.tool("other", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        Caller eve("eve", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked);
        const std::string answers = accept_all(*asked, "Eve");
        EXPECT_EQ(code_of(co_await rig.call(eve, "greet", {.state = asked->state, .responses = answers})), -32602);
        EXPECT_EQ(code_of(co_await rig.call(ada, "other", {.state = asked->state, .responses = answers})), -32602);
        EXPECT_EQ(code_of(co_await rig.call(ada, "greet", {.state = "park:nothing", .responses = answers})), -32602);
        EXPECT_EQ(rig.source->parked(), 1u);
    });
}

TEST(Parking, AClientThatNeverComesBackHasCancelled) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.park_ttl = milliseconds(20);
        rig.server.tool("two", ask_two);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "two");
        CO_ASSERT(asked);
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->parked() == 0; }));
        const PeerPtr peer = rig.server.peers.back();
        CO_ASSERT(co_await rig.until([&peer] { return peer->answers.size() == 2; }));
        for (const auto& [id, answer] : peer->answers) {
            CO_ASSERT(answer);
            EXPECT_EQ(answer->string_at("action"), "cancel");
        }
        EXPECT_EQ(code_of(co_await rig.call(ada, "two", {.state = asked->state, .responses = "{}"})), -32602);
    });
}

Task<Script::Answer> sample(PeerPtr peer, ReceivedRequest) {
    auto answer = co_await peer->ask("sampling/createMessage", JsonObject{{"messages", JsonArray{}}, {"maxTokens", 5}});
    (void)co_await peer->script.until([&peer] { return peer->script.gate || !peer->open; });
    co_return said(answer ? std::string("sampled") : "refused " + std::to_string(answer.error().code));
}

TEST(Parking, WhatCannotBeCancelledByAWordIsAnErrorAndTheCallIsCancelled) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.park_ttl = milliseconds(20);
        rig.server.tool("sample", sample);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, R"({"sampling":{}})");
        const auto asked = co_await rig.call(ada, "sample");
        CO_ASSERT(asked && asked->kind == Output::Kind::kInputRequired);
        const PeerPtr peer = rig.server.peers.back();
        CO_ASSERT(co_await rig.until([&peer] { return peer->answers.size() == 1; }));
        EXPECT_FALSE(peer->answers.begin()->second);
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("notifications/cancelled") == 1; }));
    });
}

TEST(Parking, GivingUpTheRetryCancelsTheCall) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("sample", sample);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, R"({"sampling":{}})");
        const auto asked = co_await rig.call(ada, "sample");
        CO_ASSERT(asked);
        const std::string answer =
            R"({")" + key_of(*asked) + R"(":{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}})";
        const auto retry = rig.begin(ada, "sample", {.state = asked->state, .responses = answer});
        const PeerPtr peer = rig.server.peers.back();
        CO_ASSERT(co_await rig.until([&peer] { return peer->answers.size() == 1; }));
        EXPECT_EQ(rig.server.count("notifications/cancelled"), 0u) << "the end of the first exchange was no cancel";
        retry->stop.cancel();
        CO_ASSERT(co_await rig.until([&retry] { return retry->output.has_value(); }));
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("notifications/cancelled") == 1; }));
    });
}

TEST(Parking, SoManyCallsPerPrincipalAndNoMore) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.max_parked_per_principal = 1;
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        Caller bob("bob", kModern, kElicits);
        EXPECT_TRUE(co_await rig.call(ada, "greet"));
        const auto refused = co_await rig.call(ada, "greet");
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
        EXPECT_TRUE(co_await rig.call(bob, "greet"));
    });
}

TEST(Parking, ACallThatFindsEveryLaneParkedIsToldSoInTime) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.spec.max_lanes = 1;
        rig.spec.timeout = milliseconds(50);
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked);
        const auto refused = co_await rig.call(ada, "greet");
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
        // The parked call is unaffected.
        const auto done =
            co_await rig.call(ada, "greet", {.state = asked->state, .responses = accept_all(*asked, "Ada")});
        EXPECT_EQ(text_of(done), "accept Ada");
    });
}

TEST(Parking, AServerThatDiesWhileTheCallIsParkedFailsTheRetry) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked);
        co_await rig.server.peers.back()->connection->close();
        const auto failed =
            co_await rig.call(ada, "greet", {.state = asked->state, .responses = accept_all(*asked, "Ada")});
        CO_ASSERT(!failed);
        EXPECT_EQ(failed.error().code(), ErrorCode::kOutcomeUnknown) << failed.error().to_string();
    });
}

Task<Script::Answer> greet_with_progress(PeerPtr peer, ReceivedRequest asked) {
    const Json* token = asked.params.at_pointer("/_meta/progressToken");
    if (token == nullptr) co_return said("no token");
    co_await peer->notify("notifications/progress", JsonObject{{"progressToken", *token}, {"progress", 1}});
    auto greeted = co_await greet(peer, asked);
    co_await peer->notify("notifications/progress", JsonObject{{"progressToken", *token}, {"progress", 2}});
    co_return greeted;
}

TEST(Parking, ProgressGoesToTheExchangeThatWaits) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("greet", greet_with_progress);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        ada.line.progress_wanted = true;
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked && asked->state);
        EXPECT_EQ(ada.line.progresses, (std::vector<std::string>{R"({"progress":1})"}));
        Caller again("ada", kModern, kElicits);
        again.line.progress_wanted = true;
        const auto done =
            co_await rig.call(again, "greet", {.state = asked->state, .responses = accept_all(*asked, "Ada")});
        EXPECT_EQ(text_of(done), "accept Ada");
        EXPECT_EQ(again.line.progresses, (std::vector<std::string>{R"({"progress":2})"}));
        EXPECT_EQ(ada.line.progresses.size(), 1u);
    });
}

}  // namespace
}  // namespace gantry::gateway::testing
