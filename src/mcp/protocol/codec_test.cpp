#include "mcp/protocol/codec.hpp"

#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

using enum Revision;

Json parse(std::string_view text) {
    return Json::parse(text).value();
}

template <class T>
std::string complaint(std::string_view text, Revision revision = k2026_07_28) {
    const auto value = decode<T>(parse(text), revision);
    return value ? "accepted" : value.error().message();
}

TEST(Decode, NamesThePlaceAndNeverTheValue) {
    EXPECT_EQ(complaint<ListToolsResult>(R"({"tools":[{"name":"a"},{"name":5}]})"), "tools[1].name: expected text");
    EXPECT_EQ(complaint<ListToolsResult>(R"({"tools":[{}]})"), "tools[0].name: missing");
    EXPECT_EQ(complaint<ListToolsResult>("[]"), "expected an object");
    EXPECT_EQ(complaint<ListToolsResult>("null"), "tools: missing");
    EXPECT_EQ(complaint<CallToolResult>(R"({"content":[{"type":"text"}]})"), "content[0].text: missing");
    EXPECT_EQ(complaint<CallToolResult>(R"({"content":["secret"]})"), "content[0]: expected an object");
    EXPECT_EQ(complaint<GetPromptParams>(R"({"name":"p","arguments":{"a":1}})"), "arguments.a: expected text");
    EXPECT_EQ(complaint<CallToolResult>(R"({"content":[],"isError":"true"})"), "isError: expected true or false");
    EXPECT_EQ(
        complaint<InputRequired>(R"({"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m"}}}})"),
        "inputRequests.k.params.requestedSchema: expected an object");
}

TEST(Decode, ToleratesCarelessLegacyServers) {
    const auto result =
        decode<CallToolResult>(parse(R"({"structuredContent":null,"isError":null,"_meta":null})"), k2025_06_18);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->content.empty());
    EXPECT_FALSE(result->structured_content);
    EXPECT_EQ(complaint<CallToolResult>("{}"), "content: missing");
    const auto tool = decode<Tool>(
        parse(R"({"name":"t","title":null,"inputSchema":null,"annotations":{"readOnlyHint":"yes"},"icons":"x"})"),
        k2025_11_25);
    ASSERT_TRUE(tool) << tool.error().message();
    EXPECT_EQ(tool->input_schema.dump(), R"({"type":"object"})");
    EXPECT_FALSE(tool->annotations->read_only_hint);
    EXPECT_EQ(tool->extra.find("icons")->dump(), "\"x\"");
}

TEST(Decode, KeepsNullAsStructuredContentOfAModernResult) {
    const auto result = decode<CallToolResult>(parse(R"({"content":[],"structuredContent":null})"), k2026_07_28);
    ASSERT_TRUE(result->structured_content);
    EXPECT_TRUE(result->structured_content->is_null());
    EXPECT_TRUE(encode(*result, k2026_07_28).find("structuredContent"));
    EXPECT_FALSE(encode(*result, k2025_11_25).find("structuredContent"));
}

TEST(Decode, TakesFieldsOfLaterRevisionsIfTheyFit) {
    const auto tool = decode<Tool>(parse(R"({"name":"t","title":"T","inputSchema":{},"_meta":5})"), k2024_11_05);
    ASSERT_TRUE(tool) << tool.error().message();
    EXPECT_EQ(tool->title, "T");
    EXPECT_TRUE(tool->extra.contains("_meta"));
}

TEST(Decode, TreatsNegativeOrOddCacheHintsAsStaleAndPrivate) {
    const auto list = decode<ListToolsResult>(parse(R"({"tools":[],"ttlMs":-5,"cacheScope":7})"), k2026_07_28);
    ASSERT_TRUE(list);
    EXPECT_EQ(list->ttl_ms, 0);
    EXPECT_EQ(list->cache_scope, CacheScope::kPrivate);
    EXPECT_EQ(decode<ListToolsResult>(parse(R"({"tools":[],"ttlMs":"x"})"), k2026_07_28)->ttl_ms, 0);
}

TEST(Decode, KeepsUnknownEnumerationValuesAndContentTypes) {
    const std::string text =
        R"({"resultType":"complete","content":[{"type":"hologram","beam":[1.50]},{"type":"text","text":"hi","annotations":{"audience":["robot"]}}]})";
    const auto result = decode<CallToolResult>(parse(text), k2026_07_28);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(std::holds_alternative<UnknownContent>(result->content[0]));
    const auto& audience = std::get<TextContent>(result->content[1]).annotations->audience;
    EXPECT_EQ(*audience[0].unknown(), "robot");
    EXPECT_EQ(encode(*result, k2026_07_28).dump(), text);
}

// Every type must preserve unknown members at every level.
TEST(RoundTrip, KeepsUnknownMembersAndNumbers) {
    const auto same = []<class T>(std::type_identity<T>, std::string_view text, Revision revision = k2026_07_28) {
        const auto value = decode<T>(parse(text), revision);
        ASSERT_TRUE(value) << text << ": " << value.error().message();
        EXPECT_EQ(encode(*value, revision).dump(), text);
    };
    same(
        std::type_identity<Tool>(),
        R"({"name":"t","title":"T","description":"d","inputSchema":{"$schema":"s","type":"object","x":9007199254740993},"annotations":{"title":"a","readOnlyHint":true,"z":1},"icons":[{"src":"i","sizes":["any"],"theme":"sepia","z":2}],"_meta":{"k":1e2},"z":{"y":[null]}})");
    same(std::type_identity<Resource>(), R"({"uri":"u","name":"n","size":3,"annotations":{"priority":0.5},"z":1})");
    same(
        std::type_identity<ReadResourceResult>(),
        R"({"resultType":"complete","contents":[{"uri":"u","blob":"AA==","z":1}],"ttlMs":5,"cacheScope":"public","z":2})");
    same(
        std::type_identity<CompleteParams>(),
        R"({"ref":{"type":"ref/prompt","name":"p","z":1},"argument":{"name":"a","value":"v","z":2},"context":{"arguments":{"b":"c"},"z":3},"z":4})");
    same(
        std::type_identity<ServerCapabilities>(),
        R"({"tools":{"listChanged":true,"z":1},"resources":{"subscribe":false},"completions":{},"logging":{"z":2},"experimental":{"e":{}},"extensions":{"x/y":{"s":1}},"z":3})");
    same(std::type_identity<ClientCapabilities>(),
         R"({"roots":{"z":1},"sampling":{"tools":{}},"elicitation":{"url":{}},"z":2})");
    same(
        std::type_identity<CreateMessageParams>(),
        R"({"messages":[{"role":"user","content":{"type":"text","text":"a"},"z":1},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{},"z":2},{"type":"tool_result","toolUseId":"1","content":[{"type":"image","data":"AA==","mimeType":"image/png"}],"isError":true}]}],"maxTokens":10,"modelPreferences":{"hints":[{"name":"m"}],"costPriority":0.25},"includeContext":"someServers","temperature":0.7,"z":3})");
    same(
        std::type_identity<ElicitParams>(),
        R"({"message":"m","requestedSchema":{"$schema":"s","type":"object","properties":{"b":{"type":"string","enumNames":["x"]},"a":{"type":"integer"}}},"z":1})");
    same(std::type_identity<ElicitResult>(), R"({"action":"postpone","content":{"b":1,"a":[]},"z":1})");
    same(std::type_identity<SubscriptionFilter>(),
         R"({"toolsListChanged":true,"resourceSubscriptions":["u"],"taskIds":["t"],"z":1})");
    same(std::type_identity<Progress>(), R"({"progressToken":0,"progress":1.5,"total":2,"message":"m","z":1})");
    same(std::type_identity<LogMessage>(), R"({"level":"loud","logger":"l","data":null,"z":1})");
    same(
        std::type_identity<GetTaskResult>(),
        R"({"resultType":"complete","taskId":"t","status":"failed","createdAt":"c","lastUpdatedAt":"l","ttlMs":null,"error":{"code":-1,"message":"m","data":[1]},"z":1})");
    same(
        std::type_identity<CreateTaskResult>(),
        R"({"resultType":"task","taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":5,"pollIntervalMs":6,"z":1})");
    same(
        std::type_identity<CreateTaskResult>(),
        R"({"task":{"taskId":"t","status":"paused","createdAt":"c","lastUpdatedAt":"l","ttl":null,"pollInterval":6,"z":1},"z":2})",
        k2025_11_25);
    same(
        std::type_identity<InputRequired>(),
        R"({"resultType":"input_required","inputRequests":{"b":{"method":"roots/list","params":{}},"a":{"method":"q/r","params":{"z":1}}},"requestState":"s","z":1})");
}

TEST(Encode, LeavesOutWhatARevisionDoesNotKnow) {
    Tool tool{.name = "t", .title = "T"};
    tool.output_schema = JsonObject{{"type", "object"}};
    tool.annotations.emplace().read_only_hint = true;
    tool.execution.emplace().task_support = TaskSupport::kOptional;
    tool.icons.push_back({.src = "i"});
    tool.meta.set("k", 1);
    const auto keys = [&](Revision revision) {
        std::string joined;
        const Json json = encode(tool, revision);
        for (const auto& [name, value] : *json.if_object()) joined += name + " ";
        return joined;
    };
    EXPECT_EQ(keys(k2024_11_05), "name inputSchema ");
    EXPECT_EQ(keys(k2025_03_26), "name inputSchema annotations ");
    EXPECT_EQ(keys(k2025_06_18), "name title inputSchema outputSchema annotations _meta ");
    EXPECT_EQ(keys(k2025_11_25), "name title inputSchema outputSchema annotations execution icons _meta ");
    EXPECT_EQ(keys(k2026_07_28), "name title inputSchema outputSchema annotations icons _meta ");
    tool.output_schema = JsonObject{{"type", "array"}};
    EXPECT_FALSE(encode(tool, k2025_11_25).find("outputSchema"));
    EXPECT_TRUE(encode(tool, k2026_07_28).find("outputSchema"));
}

TEST(Encode, NeverLeaksModernMembersToLegacyPeers) {
    const auto leaked = [](const Json& json) {
        return json.find("resultType") || json.find("ttlMs") || json.find("cacheScope") || json.find("requestState") ||
               json.find("inputResponses");
    };
    const auto list = decode<ListToolsResult>(
        parse(R"({"resultType":"complete","tools":[],"ttlMs":1,"cacheScope":"public"})"), k2026_07_28);
    EXPECT_TRUE(leaked(encode(*list, k2026_07_28)));
    EXPECT_FALSE(leaked(encode(*list, k2025_11_25)));
    const auto empty = decode<EmptyResult>(parse(R"({"resultType":"complete"})"), k2026_07_28);
    EXPECT_EQ(encode(*empty, k2025_11_25).dump(), "{}");
    EXPECT_EQ(encode(*empty, k2026_07_28).dump(), R"({"resultType":"complete"})");
    const CallToolParams retry{.name = "t", .input_responses = JsonObject{}, .request_state = ""};
    EXPECT_TRUE(leaked(encode(retry, k2026_07_28)));
    EXPECT_FALSE(leaked(encode(retry, k2025_11_25)));
}

TEST(Encode, SpeaksTheTaskDialectOfTheRevision) {
    const auto task = decode<GetTaskResult>(
        parse(R"({"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":7,"pollInterval":8})"),
        k2025_11_25);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->task.ttl_ms, 7);
    const Json modern = encode(*task, k2026_07_28);
    EXPECT_EQ(modern.find("ttlMs")->as_int(), 7);
    EXPECT_EQ(modern.find("pollIntervalMs")->as_int(), 8);
    EXPECT_FALSE(modern.find("ttl"));
    EXPECT_FALSE(modern.find("pollInterval"));
}

TEST(CallToolResult, JoinsItsTextParts) {
    CallToolResult result;
    EXPECT_EQ(result.text(), "");
    result.content = {TextContent{.text = "a"},
                      ImageContent{},
                      EmbeddedResource{.resource = {.uri = "u", .text = "b"}},
                      EmbeddedResource{.resource = {.uri = "u", .blob = "AA=="}},
                      TextContent{.text = ""},
                      TextContent{.text = "c"}};
    EXPECT_EQ(result.text(), "a\nb\n\nc");
}

TEST(Tool, ShowsTheBestNameItHas) {
    Tool tool{.name = "n"};
    EXPECT_EQ(tool.display_name(), "n");
    tool.annotations.emplace().title = "A";
    EXPECT_EQ(tool.display_name(), "A");
    tool.title = "T";
    EXPECT_EQ(tool.display_name(), "T");
}

}  // namespace
}  // namespace gantry::mcp
