// Elicitation, sampling and roots: through a legacy client's reply line, and in rounds with a modern client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scope.hpp"
#include "mcp/handlers/test_rig.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kEverything = R"({"elicitation":{},"sampling":{},"roots":{}})";
constexpr std::string_view kName = R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

Tool tool(std::string name) {
    Tool definition;
    definition.name = std::move(name);
    return definition;
}

std::string name_in(const ElicitResult& answer) {
    const Json* name = answer.content ? answer.content->find("name") : nullptr;
    return name != nullptr && name->is_string() ? *name->if_string() : "nobody";
}

Task<Result<CallToolResult>> greet(const Context& ctx, ServerCall& call, JsonObject) {
    auto answer = co_await call.elicit(ctx, "user_name", form("Who are you?", kName));
    if (!answer) co_return fail(answer.error());
    co_return text_result("Hello " + name_in(*answer) + " in round " + std::to_string(call.round()));
}

Task<Result<CallToolResult>> introduce(const Context& ctx, ServerCall& call, JsonObject) {
    auto first = co_await call.elicit(ctx, "first", form("Your name?", kName));
    if (!first) co_return fail(first.error());
    auto second = co_await call.elicit(ctx, "second", form("Your friend, " + name_in(*first) + "?", kName));
    if (!second) co_return fail(second.error());
    co_return text_result(name_in(*first) + " and " + name_in(*second));
}

Task<Result<CallToolResult>> survey(const Context& ctx, ServerCall& call, JsonObject) {
    CreateMessageParams question;
    question.messages.push_back({.role = Role::kUser, .content = {TextContent{.text = "2+2?"}}});
    question.max_tokens = 10;
    InputRequests all;
    all.emplace_back("who", form("Who?", kName));
    all.emplace_back("what", std::move(question));
    all.emplace_back("where", ListRootsInput{});
    auto answers = co_await call.ask_all(ctx, std::move(all));
    if (!answers) co_return fail(answers.error());
    const auto who = call.read_answer<ElicitResult>(*answers, "who");
    const auto what = call.read_answer<CreateMessageResult>(*answers, "what");
    const auto where = call.read_answer<ListRootsResult>(*answers, "where");
    if (!who || !what || !where) co_return fail(ErrorCode::kInternal, "an answer of another type");
    co_return text_result(name_in(*who) + ", " + what->model + ", " + where->roots.at(0).uri);
}

Task<Result<CallToolResult>> think(const Context& ctx, ServerCall& call, JsonObject) {
    CreateMessageParams question;
    question.messages.push_back({.role = Role::kUser, .content = {TextContent{.text = "2+2?"}}});
    question.max_tokens = 10;
    auto answer = co_await call.sample(ctx, "thought", std::move(question));
    if (!answer) co_return fail(answer.error());
    co_return text_result(answer->model);
}

Result<std::string> be_helpful(std::string_view method, const Json&) {
    if (method == "elicitation/create") return R"({"action":"accept","content":{"name":"Ann"}})";
    if (method == "roots/list") return R"({"roots":[{"uri":"file:///home"}]})";
    return R"({"role":"assistant","content":{"type":"text","text":"4"},"model":"abacus"})";
}

void add_all(Rig& rig) {
    ASSERT_TRUE(rig.server.add(tool("greet"), greet));
    ASSERT_TRUE(rig.server.add(tool("introduce"), introduce));
    ASSERT_TRUE(rig.server.add(tool("survey"), survey));
    ASSERT_TRUE(rig.server.add(tool("think"), think));
}

Json call_of(std::string_view name, const Json* responses = nullptr, const Json* state = nullptr) {
    JsonObject params{{"name", Json(name)}, {"arguments", JsonObject{}}};
    if (responses != nullptr) params.set("inputResponses", *responses);
    if (state != nullptr) params.set("requestState", *state);
    return params;
}

const Json& state_of(const Json& result) {
    static const Json kNone;
    const Json* state = result.find("requestState");
    return state != nullptr ? *state : kNone;
}

TEST(ServerAsking, ALegacyClientIsAskedWhileItsRequestWaits) {
    Rig rig;
    add_all(rig);
    rig.line.on_ask = be_helpful;
    EXPECT_EQ(text_of(rig.call(Rig::legacy(kEverything), "greet")), "Hello Ann in round 0");
    ASSERT_EQ(rig.line.asked.size(), 1u);
    EXPECT_EQ(rig.line.asked[0].string_at("method"), "elicitation/create");
    EXPECT_EQ(rig.line.asked[0].find("params")->string_at("message"), "Who are you?");
    EXPECT_EQ(text_of(rig.call(Rig::legacy(kEverything), "introduce")), "Ann and Ann");
    EXPECT_EQ(text_of(rig.call(Rig::legacy(kEverything), "think")), "abacus");
}

TEST(ServerAsking, ALegacyClientIsAskedSeveralThingsAtOnce) {
    Rig rig;
    add_all(rig);
    Event gate;
    rig.line.gate = &gate;
    rig.line.on_ask = [&](std::string_view method, const Json& params) {
        EXPECT_EQ(rig.line.asked.size(), 3u) << "all were put before the first was answered";
        return be_helpful(method, params);
    };
    // Opens the gate once all three wait at it; a server that asks sequentially would hang until the test's timeout.
    const auto open_gate = [](Rig& rig, Event& gate) -> Task<void> {
        while (rig.line.asked.size() < 3) co_await yield_now();
        gate.set();
    };
    Scope scope((Context()));
    const auto both = [](Rig& rig, Scope& scope, Task<void> other) -> Task<Json> {
        scope.spawn(std::move(other));
        co_return co_await rig.request_task(Rig::legacy(kEverything), "tools/call", call_of("survey"), rig.line);
    };
    const Json response = rig.loop.run_until_done(both(rig, scope, open_gate(rig, gate)));
    rig.loop.run_until_done(scope.join());
    EXPECT_EQ(text_of(*response.find("result")), "Ann, abacus, file:///home");
}

TEST(ServerAsking, ALegacyClientThatCannotBeAskedGetsAResultThatSaysSo) {
    Rig rig;
    add_all(rig);
    rig.line.on_ask = be_helpful;
    const Json undeclared = rig.call(Rig::legacy(R"({"sampling":{}})"), "greet");
    EXPECT_EQ(*undeclared.find("isError"), Json(true));
    EXPECT_THAT(text_of(undeclared), testing::HasSubstr("elicitation"));
    EXPECT_TRUE(rig.line.asked.empty());
    EXPECT_EQ(*rig.call(Rig::peer(Revision::k2025_03_26, kEverything), "greet").find("isError"), Json(true));
    rig.line.on_ask = nullptr;
    EXPECT_EQ(*rig.call(Rig::legacy(kEverything), "greet").find("isError"), Json(true)) << "no stream";
}

TEST(ServerAsking, ARefusalOrNonsenseOfALegacyClientIsNotItsOwnRequestsError) {
    Rig rig;
    add_all(rig);
    rig.line.on_ask = [](std::string_view, const Json&) -> Result<std::string> {
        return fail(Error(ErrorCode::kRpc, "no").rpc({-1, "go away", {}}));
    };
    EXPECT_EQ(*rig.call(Rig::legacy(kEverything), "greet").find("isError"), Json(true));
    for (const char* answer : {R"({"action":"accept","content":{"name":7}})", R"({"action":"maybe"})", "[]"}) {
        rig.line.on_ask = [answer](std::string_view, const Json&) -> Result<std::string> { return answer; };
        EXPECT_EQ(*rig.call(Rig::legacy(kEverything), "greet").find("isError"), Json(true)) << answer;
    }
    rig.line.on_ask = [](std::string_view, const Json&) -> Result<std::string> { return R"({"action":"decline"})"; };
    EXPECT_EQ(text_of(rig.call(Rig::legacy(kEverything), "greet")), "Hello nobody in round 0");
}

TEST(ServerAsking, AModernClientIsAskedByTheAnswerAndComesBack) {
    Rig rig;
    add_all(rig);
    const PeerPtr peer = Rig::modern(kEverything);
    const Json asked = rig.result(peer, "tools/call", call_of("greet"));
    EXPECT_EQ(asked.string_at("resultType"), "input_required");
    EXPECT_EQ(asked.find("ttlMs"), nullptr);
    EXPECT_NE(asked.at_pointer("/_meta/io.modelcontextprotocol~1serverInfo"), nullptr);
    const Json* request = asked.at_pointer("/inputRequests/user_name");
    ASSERT_NE(request, nullptr) << asked.dump();
    EXPECT_EQ(request->string_at("method"), "elicitation/create");
    EXPECT_EQ(*request->at_pointer("/params/requestedSchema"), json(kName));
    EXPECT_TRUE(rig.line.asked.empty());

    const Json answers = json(R"({"user_name":{"action":"accept","content":{"name":"Ann"}},"other":{"x":1}})");
    EXPECT_EQ(text_of(rig.result(peer, "tools/call", call_of("greet", &answers, &state_of(asked)))),
              "Hello Ann in round 1");
    EXPECT_EQ(text_of(rig.result(peer, "tools/call", call_of("greet", &answers))), "Hello Ann in round 0")
        << "answers may come up front";
}

TEST(ServerAsking, EarlierAnswersTravelInTheState) {
    Rig rig;
    add_all(rig);
    const PeerPtr peer = Rig::modern(kEverything);
    const Json first = rig.result(peer, "tools/call", call_of("introduce"));
    const Json ann = json(R"({"first":{"action":"accept","content":{"name":"Ann"}}})");
    const Json second = rig.result(peer, "tools/call", call_of("introduce", &ann, &state_of(first)));
    EXPECT_EQ(second.string_at("resultType"), "input_required");
    EXPECT_NE(state_of(second), state_of(first));
    EXPECT_EQ(second.at_pointer("/inputRequests/first"), nullptr);
    EXPECT_EQ(second.at_pointer("/inputRequests/second/params")->string_at("message"), "Your friend, Ann?");
    // The first answer can no longer be changed.
    const Json bob = json(R"({"second":{"action":"accept","content":{"name":"Bob"}},
                              "first":{"action":"accept","content":{"name":"Eve"}}})");
    EXPECT_EQ(text_of(rig.result(peer, "tools/call", call_of("introduce", &bob, &state_of(second)))), "Ann and Bob");
}

TEST(ServerAsking, SeveralQuestionsAreOneRound) {
    Rig rig;
    add_all(rig);
    const PeerPtr peer = Rig::modern(kEverything);
    const Json asked = rig.result(peer, "tools/call", call_of("survey"));
    EXPECT_EQ(asked.find("inputRequests")->if_object()->size(), 3u);
    const Json some = json(R"({"who":{"action":"accept","content":{"name":"Ann"}}})");
    const Json rest = rig.result(peer, "tools/call", call_of("survey", &some, &state_of(asked)));
    EXPECT_EQ(rest.find("inputRequests")->if_object()->size(), 2u) << "missing answers are asked for again";
    const Json others = json(R"({"where":{"roots":[{"uri":"file:///home"}]},
        "what":{"role":"assistant","content":{"type":"text","text":"4"},"model":"abacus"}})");
    EXPECT_EQ(text_of(rig.result(peer, "tools/call", call_of("survey", &others, &state_of(rest)))),
              "Ann, abacus, file:///home");
}

TEST(ServerAsking, AnAnswerThatIsNoneIsRefusedWithoutQuotingIt) {
    Rig rig;
    add_all(rig);
    const PeerPtr peer = Rig::modern(kEverything);
    for (const char* text : {R"({"user_name":"my secret"})", R"({"user_name":{"action":"my secret"}})",
                             R"({"user_name":{"action":"accept","content":{"name":["my secret"]}}})",
                             R"({"user_name":{"method":"elicitation/create","result":{"action":"decline"}}})"}) {
        const Json answers = json(text);
        const Json response = rig.request(peer, "tools/call", call_of("greet", &answers));
        ASSERT_NE(response.at_pointer("/error/code"), nullptr) << response.dump();
        EXPECT_EQ(response.at_pointer("/error/code")->as_int(), rpc_code::kInvalidParams);
        EXPECT_THAT(response.dump(), testing::Not(testing::HasSubstr("secret")));
    }
    const Json list = json("[]");
    EXPECT_EQ(rig.error(peer, "tools/call", call_of("greet", &list)), rpc_code::kInvalidParams);
}

TEST(ServerAsking, AStateIsGoodForItsOwnerAndItsRequestOnly) {
    Rig rig;
    add_all(rig);
    const PeerPtr ann = Rig::modern(kEverything);
    const Json answers = json(R"({"user_name":{"action":"accept","content":{"name":"Ann"}}})");
    const Json state = state_of(rig.result(ann, "tools/call", call_of("greet")));
    EXPECT_EQ(rig.error(ann, "tools/call", call_of("greet", &answers, &state)), 0);

    const Json tampered = Json(*state.if_string() + "-TAMPERED");
    const Json empty = "";
    const Json number = 7;
    for (const Json* bad : {&tampered, &empty, &number}) {
        EXPECT_EQ(rig.error(ann, "tools/call", call_of("greet", &answers, bad)), rpc_code::kInvalidParams);
    }
    EXPECT_EQ(rig.error(Rig::modern(kEverything, "bob"), "tools/call", call_of("greet", &answers, &state)),
              rpc_code::kInvalidParams);
    EXPECT_EQ(rig.error(ann, "tools/call", call_of("introduce", &answers, &state)), rpc_code::kInvalidParams);
    Json other_arguments = call_of("greet", &answers, &state);
    other_arguments.if_object()->set("arguments", JsonObject{{"x", 1}});
    EXPECT_EQ(rig.error(ann, "tools/call", other_arguments), rpc_code::kInvalidParams);
    Json other_meta = call_of("greet", &answers, &state);
    other_meta.if_object()->set("_meta", JsonObject{{"progressToken", 9}});
    EXPECT_EQ(rig.error(ann, "tools/call", other_meta), 0) << "`_meta` speaks for the request alone";
}

TEST(ServerAsking, AStateDoesNotLastForEver) {
    Rig rig({.state_lifetime = seconds(0)});
    add_all(rig);
    const PeerPtr ann = Rig::modern(kEverything);
    const Json state = state_of(rig.result(ann, "tools/call", call_of("greet")));
    EXPECT_EQ(rig.error(ann, "tools/call", call_of("greet", nullptr, &state)), rpc_code::kInvalidParams);
}

TEST(ServerAsking, RoundsAreCounted) {
    Rig rig({.max_rounds = 2});
    add_all(rig);
    const PeerPtr ann = Rig::modern(kEverything);
    Json state = state_of(rig.result(ann, "tools/call", call_of("greet")));
    state = state_of(rig.result(ann, "tools/call", call_of("greet", nullptr, &state)));
    EXPECT_EQ(rig.error(ann, "tools/call", call_of("greet", nullptr, &state)), rpc_code::kInternal);
}

TEST(ServerAsking, AModernClientWithoutTheCapabilityIsToldWhichOne) {
    Rig rig;
    add_all(rig);
    const Json response = rig.request(Rig::modern(R"({"elicitation":{}})"), "tools/call", call_of("think"));
    EXPECT_EQ(response.at_pointer("/error/code")->as_int(), rpc_code::kMissingCapability);
    EXPECT_EQ(*response.at_pointer("/error/data/requiredCapabilities"), json(R"({"sampling":{}})"));
    EXPECT_EQ(rig.error(Rig::modern(R"({"elicitation":{"url":{}}})"), "tools/call", call_of("greet")),
              rpc_code::kMissingCapability)
        << "pages only, and this is a form";
    EXPECT_EQ(rig.error(Rig::modern(R"({"elicitation":{}})"), "tools/call", call_of("survey")),
              rpc_code::kMissingCapability)
        << "one missing of three";
}

Task<Result<GetPromptResult>> prompt_with_question(const Context& ctx, ServerCall& call, StringMap) {
    auto answer = co_await call.elicit(ctx, "who", form("Who?", kName));
    if (!answer) co_return fail(answer.error());
    GetPromptResult result;
    result.messages.push_back({.role = Role::kUser, .content = TextContent{.text = name_in(*answer)}});
    co_return result;
}
Task<Result<ReadResourceResult>> resource_with_question(const Context& ctx, ServerCall& call, std::string uri,
                                                        StringMap) {
    auto answer = co_await call.elicit(ctx, "who", form("Who?", kName));
    if (!answer) co_return fail(answer.error());
    ReadResourceResult result;
    result.contents.push_back({.uri = uri, .text = name_in(*answer)});
    co_return result;
}

TEST(ServerAsking, PromptsAndResourcesMayAskToo) {
    Rig rig({.ttl = seconds(5)});
    ASSERT_TRUE(rig.server.add(Prompt{.name = "p"}, prompt_with_question));
    ASSERT_TRUE(rig.server.add(Resource{.uri = "t:r", .name = "r"}, resource_with_question));
    const PeerPtr peer = Rig::modern(kEverything);
    const Json answers = json(R"({"who":{"action":"accept","content":{"name":"Ann"}}})");
    const Json asked = rig.result(peer, "prompts/get", json(R"({"name":"p"})"));
    EXPECT_EQ(asked.string_at("resultType"), "input_required");
    const Json got = rig.result(
        peer, "prompts/get", JsonObject{{"name", "p"}, {"inputResponses", answers}, {"requestState", state_of(asked)}});
    EXPECT_EQ(got.at_pointer("/messages/0/content")->string_at("text"), "Ann");
    const Json read = rig.result(peer, "resources/read", JsonObject{{"uri", "t:r"}, {"inputResponses", answers}});
    EXPECT_EQ(read.at_pointer("/contents/0")->string_at("text"), "Ann");
    EXPECT_EQ(*read.find("ttlMs"), Json(0)) << "what answers shaped must not be cached";
    EXPECT_EQ(rig.error(Rig::modern(), "resources/read", JsonObject{{"uri", "t:r"}}), rpc_code::kMissingCapability);
    EXPECT_EQ(rig.error(Rig::legacy(), "resources/read", JsonObject{{"uri", "t:r"}}), rpc_code::kInternal);
}

TEST(ServerAsking, OlderClientsAreAskedInTheirTerms) {
    Rig rig;
    static constexpr std::string_view kPick = R"({"type":"object","properties":{
        "name":{"type":"array","items":{"type":"string","enum":["a","b"]}}}})";
    const auto pick = [](const Context& ctx, ServerCall& call, JsonObject) -> Task<Result<CallToolResult>> {
        auto answer = co_await call.elicit(ctx, "pick", form("Pick", kPick));
        if (!answer) co_return fail(answer.error());
        co_return text_result(Json(*answer->content).dump());
    };
    ASSERT_TRUE(rig.server.add(tool("pick"), pick));
    rig.line.on_ask = [](std::string_view, const Json&) -> Result<std::string> {
        return R"({"action":"accept","content":{"name":"a, b"}})";
    };
    EXPECT_EQ(text_of(rig.call(Rig::peer(Revision::k2025_06_18, kEverything), "pick")), R"({"name":["a","b"]})");
    EXPECT_EQ(rig.line.asked.at(0).at_pointer("/params/requestedSchema/properties/name")->string_at("type"), "string");
}

}  // namespace
}  // namespace gantry::mcp
