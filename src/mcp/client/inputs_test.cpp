#include "mcp/client/inputs.hpp"

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

Task<Result<ElicitResult>> accept(JsonObject content) {
    ElicitResult result;
    result.action = ElicitAction::kAccept;
    result.content = std::move(content);
    co_return result;
}
Task<Result<ElicitResult>> decline() {
    ElicitResult result;
    result.action = ElicitAction::kDecline;
    co_return result;
}
Task<Result<CreateMessageResult>> complete_with(std::string text) {
    CreateMessageResult result;
    result.model = "m1";
    TextContent content;
    content.text = std::move(text);
    result.content.emplace_back(std::move(content));
    co_return result;
}
Task<Result<std::vector<Root>>> one_root() {
    Root root;
    root.uri = "file:///srv";
    co_return std::vector<Root>{root};
}

void offer_everything(Rig& rig) {
    rig.settings.handlers.elicit = [](const Context&, const ElicitParams&) { return accept({{"name", "Ada"}}); };
    rig.settings.handlers.sample = [](const Context&, const CreateMessageParams&) { return complete_with("42"); };
    rig.settings.handlers.roots = [](const Context&) { return one_root(); };
}

const char* const kForm = R"({"message":"Who?","requestedSchema":{"type":"object","properties":{
    "name":{"type":"string"},"language":{"type":"string","default":"en"},"loud":{"type":"boolean","default":true}},
    "required":["name"]}})";
const char* const kSample = R"({"maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"?"}}]})";

Task<void> legacy_requests(Rig& rig) {
    offer_everything(rig);
    CO_ASSERT(co_await rig.connect());
    const Heard initialize = co_await rig.server.nth("initialize");
    EXPECT_EQ(*initialize.params.find("capabilities"), parse(R"({"roots":{},"sampling":{},"elicitation":{}})"));

    const auto elicited = co_await rig.server.ask("elicitation/create", parse(kForm));
    CO_ASSERT(elicited);
    EXPECT_EQ(*elicited, parse(R"({"action":"accept","content":{"name":"Ada","language":"en","loud":true}})"));
    const auto sampled = co_await rig.server.ask("sampling/createMessage", parse(kSample));
    CO_ASSERT(sampled);
    EXPECT_EQ(*sampled->at_pointer("/content/text"), Json("42"));
    EXPECT_EQ(*sampled->at_pointer("/model"), Json("m1"));
    EXPECT_EQ(*sampled->at_pointer("/role"), Json("assistant"));
    const auto roots = co_await rig.server.ask("roots/list");
    CO_ASSERT(roots);
    EXPECT_EQ(*roots, parse(R"({"roots":[{"uri":"file:///srv"}]})"));
}
TEST(LegacyInputs, AreServedWithDefaultsFilledIn) {
    run(Revision::k2025_11_25, legacy_requests, false);
}

Task<void> nothing_offered(Rig& rig) {
    EXPECT_EQ(*(co_await rig.server.nth("initialize")).params.find("capabilities"), Json(JsonObject{}));
    for (const char* method : {"elicitation/create", "sampling/createMessage", "roots/list"}) {
        const std::string_view params = std::string_view(method).starts_with("elicit") ? kForm : kSample;
        const auto answer = co_await rig.server.ask(method, parse(params));
        CO_ASSERT(!answer);
        EXPECT_EQ(answer.error().code, -32601) << method;
    }
}
TEST(LegacyInputs, WhatIsNotOfferedIsRefused) {
    run(Revision::k2025_11_25, nothing_offered);
}

Task<void> bad_content(Rig& rig) {
    rig.settings.handlers.elicit = [](const Context&, const ElicitParams&) { return accept({{"name", 7}}); };
    CO_ASSERT(co_await rig.connect());
    const auto answer = co_await rig.server.ask("elicitation/create", parse(kForm));
    CO_ASSERT(!answer);
    EXPECT_NE(answer.error().message.find("name"), std::string::npos);
}
TEST(LegacyInputs, ContentThatBreaksItsSchemaNeverLeaves) {
    run(Revision::k2025_06_18, bad_content, false);
}

Task<void> declined(Rig& rig) {
    rig.settings.handlers.elicit = [](const Context&, const ElicitParams&) { return decline(); };
    CO_ASSERT(co_await rig.connect());
    const auto answer = co_await rig.server.ask("elicitation/create", parse(kForm));
    CO_ASSERT(answer);
    EXPECT_EQ(*answer, parse(R"({"action":"decline"})"));
}
TEST(LegacyInputs, ADeclinedFormHasNoContent) {
    run(Revision::k2025_06_18, declined, false);
}

Task<void> asks_while_calling(Rig& rig) {
    offer_everything(rig);
    rig.server.ignore("tools/call");
    CO_ASSERT(co_await rig.connect());
    Scope scope(watchdog());
    auto call = std::make_shared<Running>();
    scope.spawn(run_call(rig, "greet", call));
    const Heard sent = co_await rig.server.nth("tools/call");
    const auto elicited = co_await rig.server.ask("elicitation/create", parse(kForm));
    CO_ASSERT(elicited);
    co_await rig.server.answer(*sent.id, said("hello Ada"));
    co_await scope.join();
    CO_ASSERT(*call->result);
    EXPECT_EQ((*call->result)->text(), "hello Ada");
}
TEST(LegacyInputs, AreServedWhileACallWaits) {
    run(Revision::k2025_06_18, asks_while_calling, false);
}

const char* const kState = "opaque \xE2\x82\xAC \"quoted\" \\ /+= ";

Json rounds_answer(const Heard& heard) {
    if (heard.params.find("inputResponses") != nullptr) return said("hello");
    JsonObject requests{{"who", JsonObject{{"method", "elicitation/create"}, {"params", parse(kForm)}}},
                        {"where", JsonObject{{"method", "roots/list"}}},
                        {"why", JsonObject{{"method", "sampling/createMessage"}, {"params", parse(kSample)}}}};
    return JsonObject{{"resultType", "input_required"}, {"inputRequests", requests}, {"requestState", kState}};
}

Task<void> input_round(Rig& rig) {
    offer_everything(rig);
    rig.server.on("tools/call",
                  [](const Heard& heard) { return std::optional<TestServer::Answer>(rounds_answer(heard)); });
    CO_ASSERT(co_await rig.connect());
    const auto result = co_await rig.client->call_tool(watchdog(), "greet", {{"x", 1}});
    CO_ASSERT(result);
    EXPECT_EQ(result->text(), "hello");

    const Heard first = co_await rig.server.nth("tools/call", 0);
    const Heard second = co_await rig.server.nth("tools/call", 1);
    EXPECT_NE(first.id, second.id);
    EXPECT_EQ(first.params.find("requestState"), nullptr);
    EXPECT_EQ(second.text("/requestState"), kState);
    EXPECT_EQ(*second.params.find("arguments"), *first.params.find("arguments"));
    EXPECT_EQ(*second.params.at_pointer("/inputResponses/who"),
              parse(R"({"action":"accept","content":{"name":"Ada","language":"en","loud":true}})"));
    EXPECT_EQ(*second.params.at_pointer("/inputResponses/where/roots/0/uri"), Json("file:///srv"));
    EXPECT_EQ(*second.params.at_pointer("/inputResponses/why/content/text"), Json("42"));

    CO_ASSERT(co_await rig.client->call_tool(watchdog(), "greet", {}));
    const Heard third = co_await rig.server.nth("tools/call", 2);
    EXPECT_EQ(third.params.find("requestState"), nullptr) << "state belongs to its own retry only";
    EXPECT_EQ(third.params.find("inputResponses"), nullptr);
}
TEST(InputRounds, RepeatTheRequestWithAllAnswersAndTheExactState) {
    run(Revision::k2026_07_28, input_round, false);
}

Task<void> state_changes(Rig& rig) {
    int round = 0;
    rig.server.on("prompts/get", [&round](const Heard& heard) -> std::optional<TestServer::Answer> {
        if (round == 2) return parse(R"({"resultType":"complete","messages":[]})");
        EXPECT_EQ(heard.params.find("inputResponses"), nullptr);
        return Json(JsonObject{{"resultType", "input_required"}, {"requestState", "s" + std::to_string(++round)}});
    });
    GetPromptParams params;
    params.name = "p";
    CO_ASSERT(co_await rig.client->get_prompt(watchdog(), params));
    EXPECT_EQ((co_await rig.server.nth("prompts/get", 1)).text("/requestState"), "s1");
    EXPECT_EQ((co_await rig.server.nth("prompts/get", 2)).text("/requestState"), "s2");
}
TEST(InputRounds, MayCarryStateOnlyAndEachRetryHasTheNewestState) {
    run(Revision::k2026_07_28, state_changes);
}

Task<void> endless_rounds(Rig& rig) {
    offer_everything(rig);
    rig.settings.max_input_rounds = 3;
    rig.server.reply("tools/call",
                     parse(R"({"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}})"));
    CO_ASSERT(co_await rig.connect());
    const auto result = co_await rig.client->call_tool(watchdog(), "greedy", {});
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kLimit);
    EXPECT_EQ(rig.server.count("tools/call"), 4u);
}
TEST(InputRounds, EndAtTheirLimit) {
    run(Revision::k2026_07_28, endless_rounds, false);
}

Task<void> not_offered_round(Rig& rig) {
    rig.server.reply("tools/call",
                     parse(R"({"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}})"));
    const auto result = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(!result);
    EXPECT_EQ(rig.server.count("tools/call"), 1u);
    EXPECT_NE(result.error().message().find("roots"), std::string::npos);
}
TEST(InputRounds, AskingForWhatWasNotOfferedEndsTheCall) {
    run(Revision::k2026_07_28, not_offered_round);
}

Task<void> result_types(Rig& rig) {
    rig.server.reply("tools/call", said("no type"));
    const auto absent = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(absent);
    EXPECT_EQ(absent->text(), "no type");
    Json unknown = said("x");
    unknown.if_object()->set("resultType", "from the future");
    rig.server.reply("tools/call", unknown);
    const auto refused = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(!refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kProtocol);
}
TEST(InputRounds, AnAbsentResultTypeIsCompleteAndAnUnknownOneAnError) {
    run(Revision::k2026_07_28, result_types);
}

Task<void> modern_request(Rig& rig) {
    const auto answer = co_await rig.server.ask("roots/list");
    CO_ASSERT(!answer);
    EXPECT_EQ(answer.error().code, -32601);
}
TEST(InputRounds, AModernServerMayNotSendRequests) {
    run(Revision::k2026_07_28, modern_request);
}

Task<void> url_required(Rig& rig) {
    std::string visited;
    rig.settings.handlers.elicit = [&visited](const Context&, const ElicitParams& params) {
        visited = params.url;
        return accept({});
    };
    rig.settings.handlers.elicit_by_url = true;
    rig.server.on("tools/call", [&visited](const Heard&) -> std::optional<TestServer::Answer> {
        if (!visited.empty()) return said("welcome back");
        return std::unexpected(RpcError{.code = -32042,
                                        .message = "visit first",
                                        .data = R"({"elicitations":[{"mode":"url","message":"Sign in",)"
                                                R"("url":"https://example.com/in","elicitationId":"e1"}]})"});
    });
    CO_ASSERT(co_await rig.connect());
    const auto result = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(result);
    EXPECT_EQ(result->text(), "welcome back");
    EXPECT_EQ(visited, "https://example.com/in");
}
TEST(LegacyInputs, APageToVisitFirstIsVisitedAndTheCallRepeated) {
    run(Revision::k2025_11_25, url_required, false);
}

/// Waits until it is cancelled or times out, and records the reason.
Task<Result<ElicitResult>> ponder(Context ctx, Rig& rig, std::optional<ErrorCode>& ended) {
    rig.server.wake();
    const auto waited = co_await Event().wait(ctx);
    ended = waited.error().code();
    rig.server.wake();
    co_return fail(waited.error());
}

Task<void> withdrawn(Rig& rig) {
    bool asked = false;
    std::optional<ErrorCode> ended;
    rig.settings.handlers.elicit = [&](const Context& ctx, const ElicitParams&) {
        asked = true;
        return ponder(ctx, rig, ended);
    };
    CO_ASSERT(co_await rig.connect());
    const RequestId id = co_await rig.server.post("elicitation/create", parse(kForm));
    CO_ASSERT(co_await rig.server.until([&asked] { return asked; }));
    co_await rig.server.notify("notifications/cancelled", JsonObject{{"requestId", "no such request"}});
    co_await rig.server.notify("notifications/cancelled", JsonObject{{"requestId", to_json(id)}, {"reason", "late"}});
    CO_ASSERT(co_await rig.server.until([&ended] { return ended.has_value(); }));
    EXPECT_EQ(*ended, ErrorCode::kCancelled);
    // Answers keep their order, so an answer to the cancelled request would have arrived before this.
    CO_ASSERT(co_await rig.server.ask("ping"));
    EXPECT_FALSE(rig.server.answered(id));
    co_await rig.server.notify("notifications/cancelled", JsonObject{{"requestId", to_json(id)}});
    EXPECT_TRUE(co_await rig.client->ping(watchdog())) << "too late for the request, and harmless";
    EXPECT_TRUE(rig.oddities.empty());
}
TEST(LegacyInputs, ARequestTheServerCancelsIsStoppedAndNotAnswered) {
    run(Revision::k2025_11_25, withdrawn, false);
    run(Revision::k2025_06_18, withdrawn, false);
}

Task<void> roots_change(Rig& rig) {
    rig.settings.handlers.roots = [](const Context&) { return one_root(); };
    rig.settings.handlers.roots_may_change = true;
    CO_ASSERT(co_await rig.connect());
    EXPECT_TRUE(co_await rig.client->announce_roots(watchdog()));
    if (is_modern(rig.server.revision)) {
        CO_ASSERT(co_await rig.client->ping(watchdog()));
        EXPECT_EQ(rig.server.count("notifications/roots/list_changed"), 0u) << "it asks whenever it needs them";
    } else {
        co_await rig.server.nth("notifications/roots/list_changed");
        const Heard initialize = co_await rig.server.nth("initialize");
        const Json* declared = initialize.params.at_pointer("/capabilities/roots/listChanged");
        CO_ASSERT(declared != nullptr);
    }
    co_await rig.client->close();
    EXPECT_FALSE(co_await rig.client->announce_roots(watchdog()));
}
TEST(LegacyInputs, AChangeOfTheRootsIsAnnounced) {
    run(Revision::k2024_11_05, roots_change, false);
    run(Revision::k2025_11_25, roots_change, false);
}
TEST(Inputs, AChangeOfTheRootsIsNotAnnouncedToAModernServer) {
    run(Revision::k2026_07_28, roots_change, false);
}

/// Takes longer than a call's idle timeout.
Task<Result<ElicitResult>> think(Context ctx) {
    GANTRY_CO_CHECK(co_await sleep_for(ctx, milliseconds(300)));
    co_return co_await accept({{"name", "Ada"}});
}

Task<void> slow_person(Rig& rig) {
    rig.settings.handlers.elicit = [](const Context& ctx, const ElicitParams&) { return think(ctx); };
    rig.settings.times = {.idle = milliseconds(100), .total = seconds(60)};
    rig.server.ignore("tools/call");
    CO_ASSERT(co_await rig.connect());
    Scope scope(watchdog());
    auto call = std::make_shared<Running>();
    scope.spawn(run_call(rig, "t", call));
    const Heard heard = co_await rig.server.nth("tools/call");
    EXPECT_TRUE(co_await rig.server.ask("elicitation/create", parse(kForm)));
    co_await rig.server.answer(*heard.id, said("thank you"));
    co_await scope.join();
    CO_ASSERT(*call->result);
    EXPECT_EQ((*call->result)->text(), "thank you");
}
TEST(LegacyInputs, APersonWhoTakesTheirTimeDoesNotEndTheCall) {
    run(Revision::k2025_11_25, slow_person, false);
}

Task<void> silent_after_question(Rig& rig) {
    rig.settings.handlers.elicit = [](const Context&, const ElicitParams&) { return accept({{"name", "Ada"}}); };
    rig.settings.times = {.idle = milliseconds(100), .total = seconds(60)};
    rig.server.ignore("tools/call");
    CO_ASSERT(co_await rig.connect());
    Scope scope(watchdog());
    auto call = std::make_shared<Running>();
    scope.spawn(run_call(rig, "t", call));
    co_await rig.server.nth("tools/call");
    EXPECT_TRUE(co_await rig.server.ask("elicitation/create", parse(kForm)));
    co_await scope.join();
    CO_ASSERT(!*call->result);
    EXPECT_EQ(call->result->error().code(), ErrorCode::kTimeout);
}
TEST(LegacyInputs, AfterTheAnswerTheServersTimeRunsAgain) {
    run(Revision::k2025_11_25, silent_after_question, false);
}

}  // namespace
}  // namespace gantry::mcp
