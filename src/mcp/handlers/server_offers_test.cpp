// Lists, prompts, resources, completion, and notifications of changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/handlers/test_rig.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

using testing::ElementsAre;

Task<Result<CallToolResult>> nothing(const Context&, ServerCall&, JsonObject) {
    co_return text_result("done");
}
Task<Result<ReadResourceResult>> read_it(const Context&, ServerCall&, std::string uri, StringMap variables) {
    if (variables.contains("id") && variables.at("id") == "none") co_return fail(ErrorCode::kNotFound, "nothing there");
    ReadResourceResult result;
    result.contents.push_back({.uri = uri, .text = variables.contains("id") ? variables.at("id") : "plain"});
    co_return result;
}
Task<Result<GetPromptResult>> say_it(const Context&, ServerCall&, StringMap arguments) {
    GetPromptResult result;
    result.messages.push_back({.role = Role::kUser, .content = TextContent{.text = arguments.at("who")}});
    co_return result;
}

Tool tool(std::string name) {
    Tool definition;
    definition.name = std::move(name);
    return definition;
}

std::vector<std::string> names(const Json& result, std::string_view list, std::string_view key = "name") {
    std::vector<std::string> found;
    const Json* items = result.find(list);
    if (items == nullptr || !items->is_array()) return {"no list"};
    for (const Json& item : *items->if_array()) found.emplace_back(item.string_at(key));
    return found;
}

TEST(ServerOffers, ListsAreSortedAndStampedForTheEraOfTheClient) {
    Rig rig({.ttl = seconds(3), .cache_scope = CacheScope::kPublic});
    for (const char* name : {"b", "c", "a"}) ASSERT_TRUE(rig.server.add(tool(name), nothing));
    const Json modern = rig.result(Rig::modern(), "tools/list");
    EXPECT_THAT(names(modern, "tools"), ElementsAre("a", "b", "c"));
    EXPECT_EQ(modern.string_at("resultType"), "complete");
    EXPECT_EQ(*modern.find("ttlMs"), Json(3000));
    EXPECT_EQ(modern.string_at("cacheScope"), "public");
    EXPECT_EQ(modern.at_pointer("/_meta/io.modelcontextprotocol~1serverInfo")->string_at("name"), "rig");
    const Json legacy = rig.result(Rig::legacy(), "tools/list");
    EXPECT_EQ(legacy.if_object()->size(), 1u) << legacy.dump();
    // Once more, from the cache.
    EXPECT_EQ(rig.result(Rig::modern(), "tools/list"), modern);
    ASSERT_TRUE(rig.server.remove_tool("b"));
    EXPECT_FALSE(rig.server.remove_tool("b"));
    EXPECT_THAT(names(rig.result(Rig::modern(), "tools/list"), "tools"), ElementsAre("a", "c"));
}

TEST(ServerOffers, PagesFollowOneAnotherEvenWhenTheListChanges) {
    Rig rig({.page_size = 2});
    for (const char* name : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(rig.server.add(tool(name), nothing));
    const Json first = rig.result(Rig::modern(), "tools/list");
    EXPECT_THAT(names(first, "tools"), ElementsAre("a", "b"));
    ASSERT_TRUE(rig.server.remove_tool("b"));
    ASSERT_TRUE(rig.server.add(tool("aa"), nothing));
    const Json second = rig.result(Rig::legacy(), "tools/list", JsonObject{{"cursor", *first.find("nextCursor")}});
    EXPECT_THAT(names(second, "tools"), ElementsAre("c", "d"));
    const Json third = rig.result(Rig::modern(), "tools/list", JsonObject{{"cursor", *second.find("nextCursor")}});
    EXPECT_THAT(names(third, "tools"), ElementsAre("e"));
    EXPECT_EQ(third.find("nextCursor"), nullptr);
}

TEST(ServerOffers, ACursorThatIsNotOneIsRefused) {
    Rig rig({.page_size = 1});
    ASSERT_TRUE(rig.server.add(tool("a"), nothing));
    ASSERT_TRUE(rig.server.add(tool("b"), nothing));
    ASSERT_TRUE(rig.server.add(Prompt{.name = "p"}, say_it));
    const Json page = rig.result(Rig::modern(), "tools/list");
    for (const Json& cursor : {Json(""), Json("!!"), Json("AAAA"), Json(3)}) {
        EXPECT_EQ(rig.error(Rig::modern(), "tools/list", JsonObject{{"cursor", cursor}}), rpc_code::kInvalidParams);
    }
    EXPECT_EQ(rig.error(Rig::modern(), "prompts/list", JsonObject{{"cursor", *page.find("nextCursor")}}),
              rpc_code::kInvalidParams);
}

TEST(ServerOffers, NoMoreToolsThanAllowedAreTaken) {
    Rig rig({.max_tools = 2});
    EXPECT_TRUE(rig.server.add(tool("a"), nothing));
    EXPECT_TRUE(rig.server.add(tool("b"), nothing));
    const auto refused = rig.server.add(tool("c"), nothing);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
    EXPECT_TRUE(rig.server.add(tool("b"), nothing)) << "replacing is always possible";
    EXPECT_THAT(names(rig.result(Rig::modern(), "tools/list"), "tools"), ElementsAre("a", "b"));
}

TEST(ServerOffers, AToolWithAnUnusableSchemaIsRefused) {
    Rig rig;
    for (const char* schema : {R"({"type":"string"})", R"({"type":"object","properties":{"a":{"$ref":"#/nowhere"}}})",
                               R"({"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}})"}) {
        Tool definition = tool("bad");
        definition.input_schema = json(schema);
        EXPECT_FALSE(rig.server.add(definition, nothing)) << schema;
    }
    EXPECT_EQ(rig.error(Rig::modern(), "tools/list"), rpc_code::kMethodNotFound) << "nothing, so no capability";
}

TEST(ServerOffers, WhatIsNotOfferedIsAnUnknownMethod) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("a"), nothing));
    for (const char* method : {"prompts/list", "resources/read", "completion/complete", "tasks/get", "no/such"}) {
        EXPECT_EQ(rig.error(Rig::modern(), method), rpc_code::kMethodNotFound) << method;
        EXPECT_EQ(rig.error(Rig::legacy(), method), rpc_code::kMethodNotFound) << method;
    }
}

TEST(ServerOffers, TheFaceSaysWhatIsOffered) {
    Rig rig({.instructions = "be kind"});
    Tool slow = tool("slow");
    slow.execution = ToolExecution{.task_support = TaskSupport::kOptional};
    ASSERT_TRUE(rig.server.add(slow, nothing));
    const auto modern = rig.loop.run_until_done(rig.server.profile(Context(), *Rig::modern()));
    EXPECT_TRUE(modern->capabilities.tools);
    EXPECT_FALSE(modern->capabilities.prompts);
    EXPECT_TRUE(modern->capabilities.extensions.contains(kTasksExtension));
    EXPECT_FALSE(modern->capabilities.tasks);
    EXPECT_EQ(modern->instructions, "be kind");
    const auto legacy = rig.loop.run_until_done(rig.server.profile(Context(), *Rig::legacy()));
    EXPECT_TRUE(legacy->capabilities.tasks);
    EXPECT_FALSE(legacy->capabilities.extensions.contains(kTasksExtension));
    ASSERT_TRUE(rig.server.add(Prompt{.name = "p"}, say_it));
    EXPECT_TRUE(rig.loop.run_until_done(rig.server.profile(Context(), *Rig::modern()))->capabilities.prompts);
}

TEST(ServerOffers, ResourcesAreReadByUriOrByTemplate) {
    Rig rig({.ttl = seconds(1)});
    ASSERT_TRUE(rig.server.add(Resource{.uri = "t:plain", .name = "plain", .title = "Plain"}, read_it));
    ASSERT_TRUE(rig.server.add(ResourceTemplate{.uri_template = "t:item/{id}", .name = "items"}, read_it));
    const Json plain = rig.result(Rig::modern(), "resources/read", JsonObject{{"uri", "t:plain"}});
    EXPECT_EQ(*plain.at_pointer("/contents/0"), json(R"({"uri":"t:plain","text":"plain"})"));
    EXPECT_EQ(*plain.find("ttlMs"), Json(1000));
    const Json item = rig.result(Rig::legacy(), "resources/read", JsonObject{{"uri", "t:item/a%20b"}});
    EXPECT_EQ(item, json(R"({"contents":[{"uri":"t:item/a%20b","text":"a b"}]})"));
    EXPECT_THAT(names(rig.result(Rig::modern(), "resources/templates/list"), "resourceTemplates", "uriTemplate"),
                ElementsAre("t:item/{id}"));
    EXPECT_EQ(rig.result(Rig::peer(Revision::k2024_11_05), "resources/list"),
              json(R"({"resources":[{"uri":"t:plain","name":"plain"}]})"));
}

TEST(ServerOffers, AResourceThatIsNotThereIsNamedInTheError) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(ResourceTemplate{.uri_template = "t:item/{id}", .name = "items"}, read_it));
    for (const char* uri : {"t:other", "t:item/none"}) {
        const Json modern = rig.request(Rig::modern(), "resources/read", JsonObject{{"uri", uri}});
        EXPECT_EQ(modern.at_pointer("/error/code")->as_int(), rpc_code::kInvalidParams);
        EXPECT_EQ(modern.at_pointer("/error/data")->string_at("uri"), uri);
        EXPECT_EQ(rig.error(Rig::legacy(), "resources/read", JsonObject{{"uri", uri}}), rpc_code::kResourceNotFound);
    }
}

TEST(ServerOffers, APromptNeedsItsRequiredArguments) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(Prompt{.name = "greet", .arguments = {{.name = "who", .required = true}}}, say_it));
    const Json good =
        rig.result(Rig::modern(), "prompts/get", json(R"({"name":"greet","arguments":{"who":"Ann","more":"x"}})"));
    EXPECT_EQ(good.at_pointer("/messages/0/content")->string_at("text"), "Ann");
    EXPECT_EQ(good.string_at("resultType"), "complete");
    EXPECT_EQ(good.find("ttlMs"), nullptr);
    EXPECT_EQ(rig.error(Rig::modern(), "prompts/get", json(R"({"name":"greet"})")), rpc_code::kInvalidParams);
    EXPECT_EQ(rig.error(Rig::modern(), "prompts/get", json(R"({"name":"other"})")), rpc_code::kInvalidParams);
}

Task<Result<Completion>> many(const Context&, CompletionArgument argument, StringMap settled) {
    Completion completion;
    for (int i = 0; i < 150; ++i) completion.values.push_back(argument.value + settled["style"] + std::to_string(i));
    co_return completion;
}

TEST(ServerOffers, CompletionsAreCutAtAHundred) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(Prompt{.name = "greet"}, say_it));
    rig.server.complete_prompt("greet", "who", many);
    const Json result =
        rig.result(Rig::modern(), "completion/complete", json(R"({"ref":{"type":"ref/prompt","name":"greet"},
                "argument":{"name":"who","value":"A"},"context":{"arguments":{"style":"-"}}})"));
    EXPECT_EQ(result.at_pointer("/completion/values")->if_array()->size(), 100u);
    EXPECT_EQ(*result.at_pointer("/completion/values/0"), Json("A-0"));
    EXPECT_EQ(*result.at_pointer("/completion/total"), Json(150));
    EXPECT_EQ(*result.at_pointer("/completion/hasMore"), Json(true));
    const Json other =
        rig.result(Rig::modern(), "completion/complete", json(R"({"ref":{"type":"ref/prompt","name":"greet"},
                                           "argument":{"name":"else","value":""}})"));
    EXPECT_TRUE(other.at_pointer("/completion/values")->if_array()->empty());
    EXPECT_EQ(rig.error(Rig::modern(), "completion/complete",
                        json(R"({"ref":{"type":"ref/prompt","name":"no"},"argument":{"name":"who","value":""}})")),
              rpc_code::kInvalidParams);
}

TEST(ServerOffers, ListenersHearWhatTheyAskedForAndNothingElse) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("a"), nothing));
    ASSERT_TRUE(rig.server.add(Resource{.uri = "t:a", .name = "a"}, read_it));
    std::vector<std::string> heard;
    const auto tell = [&](const Change& change) {
        heard.push_back(std::to_string(static_cast<int>(change.kind)) + change.uri);
    };
    Interest wanted{.tools = true, .prompts = true, .uris = {"t:a", "t:unknown"}, .tasks = {"guess"}};
    auto watch = *rig.loop.run_until_done(rig.server.watch(Context(), Rig::modern(), wanted, tell));
    EXPECT_TRUE(watch->honoured().tools);
    EXPECT_FALSE(watch->honoured().prompts) << "there are none";
    EXPECT_THAT(watch->honoured().uris, ElementsAre("t:a"));
    EXPECT_TRUE(watch->honoured().tasks.empty());

    ASSERT_TRUE(rig.server.add(tool("b"), nothing));
    ASSERT_TRUE(rig.server.add(Resource{.uri = "t:b", .name = "b"}, read_it));
    rig.server.resource_updated("t:a");
    rig.server.resource_updated("t:a/part");
    rig.server.resource_updated("t:ab");
    rig.server.resource_updated("t:b");
    EXPECT_THAT(heard, ElementsAre("0", "3t:a", "3t:a/part"));

    heard.clear();
    EXPECT_TRUE(rig.loop.run_until_done(watch->add(Context(), "t:b")));
    EXPECT_EQ(rig.loop.run_until_done(watch->add(Context(), "t:none")).error().code(), ErrorCode::kNotFound);
    rig.loop.run_until_done(watch->remove(Context(), "t:a"));
    rig.server.resource_updated("t:a");
    rig.server.resource_updated("t:b");
    EXPECT_THAT(heard, ElementsAre("3t:b"));
    watch.reset();
    rig.server.resource_updated("t:b");
    EXPECT_EQ(heard.size(), 1u);
}

TEST(ServerOffers, AListenerMayLeaveWhileItIsBeingTold) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("a"), nothing));
    std::unique_ptr<Watch> first;
    std::unique_ptr<Watch> second;
    int told = 0;
    const auto leave = [&](const Change&) {
        ++told;
        first.reset();
        second.reset();
    };
    first = *rig.loop.run_until_done(rig.server.watch(Context(), Rig::modern(), {.tools = true}, leave));
    second = *rig.loop.run_until_done(rig.server.watch(Context(), Rig::modern(), {.tools = true}, leave));
    rig.server.list_changed(Change::Kind::kTools);
    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace gantry::mcp
