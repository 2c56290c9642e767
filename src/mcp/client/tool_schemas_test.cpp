#include "mcp/client/tool_schemas.hpp"

#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

ToolDefinition definition(std::string name, std::string_view input, std::string_view output = "") {
    auto tool = std::make_shared<Tool>();
    tool->name = std::move(name);
    tool->input_schema = parse(input);
    if (!output.empty()) tool->output_schema = parse(output);
    return tool;
}

TEST(ToolSchemas, ADefinitionIsCompiledOnce) {
    ToolSchemas schemas;
    const auto tool = definition("t", R"({"required":["a"]})", R"({"required":["b"]})");
    EXPECT_FALSE(schemas.check_arguments(tool, {}));
    EXPECT_TRUE(schemas.check_arguments(tool, {{"a", 1}}));
    EXPECT_EQ(schemas.compiled(), 1u);
    EXPECT_FALSE(schemas.check_result(tool, JsonObject{}));
    EXPECT_TRUE(schemas.check_result(tool, JsonObject{{"b", 1}}));
    EXPECT_EQ(schemas.compiled(), 2u);
    schemas.clear();
    EXPECT_TRUE(schemas.check_arguments(tool, {{"a", 1}}));
    EXPECT_EQ(schemas.compiled(), 3u);
}

TEST(ToolSchemas, AnUnusableSchemaIsTheServersBusinessAndNotTriedAgain) {
    ToolSchemas schemas;
    const auto tool = definition("t", R"({"type":"no such type"})");
    EXPECT_TRUE(schemas.check_arguments(tool, {}));
    EXPECT_TRUE(schemas.check_arguments(tool, {}));
    EXPECT_EQ(schemas.compiled(), 1u);
}

TEST(ToolSchemas, TheOneUnusedForLongestMakesRoom) {
    ToolSchemas schemas;
    const auto used = definition("used", "{}");
    const auto idle = definition("idle", "{}");
    ASSERT_TRUE(schemas.check_arguments(used, {}));
    ASSERT_TRUE(schemas.check_arguments(idle, {}));
    std::vector<ToolDefinition> more;
    for (std::size_t i = 0; i < ToolSchemas::kMaxKept; ++i) {
        more.push_back(definition("t" + std::to_string(i), "{}"));
        ASSERT_TRUE(schemas.check_arguments(more.back(), {}));
        ASSERT_TRUE(schemas.check_arguments(used, {}));
    }
    EXPECT_EQ(schemas.size(), ToolSchemas::kMaxKept);
    const auto before = schemas.compiled();
    ASSERT_TRUE(schemas.check_arguments(used, {}));
    EXPECT_EQ(schemas.compiled(), before);
    ASSERT_TRUE(schemas.check_arguments(idle, {}));
    EXPECT_EQ(schemas.compiled(), before + 1);
}

Json tools(std::string_view type, int ttl_ms) {
    return parse(R"({"resultType":"complete","cacheScope":"private","ttlMs":)" + std::to_string(ttl_ms) +
                 R"(,"tools":[{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":")" +
                 std::string(type) + R"("}}},"outputSchema":{"type":"object","properties":{"sum":{"type":")" +
                 std::string(type) + R"("}}}}]})");
}

Json sum(Json value) {
    return JsonObject{
        {"resultType", "complete"}, {"content", JsonArray{}}, {"structuredContent", JsonObject{{"sum", value}}}};
}

Task<void> compiled_once(Rig& rig) {
    rig.server.reply("tools/list", tools("number", 3'600'000));
    rig.server.reply("tools/call", sum(3));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(co_await rig.client->call_tool(watchdog(), "add", {{"a", 1}}));
    }
    EXPECT_EQ(rig.client->schemas().compiled(), 2u) << "arguments and result, once each";
    CO_ASSERT(co_await rig.client->list_tools(watchdog(), true));
    EXPECT_EQ(rig.client->schemas().size(), 0u) << "of the old list";
    EXPECT_TRUE(co_await rig.client->call_tool(watchdog(), "add", {{"a", 1}}));
    EXPECT_EQ(rig.client->schemas().compiled(), 4u);
}
TEST(SchemaChecks, SchemasAreCompiledOncePerDefinition) {
    run(Revision::k2026_07_28, compiled_once);
}

Task<void> stale_arguments(Rig& rig) {
    rig.server.reply("tools/list", tools("number", 0));
    rig.server.reply("tools/call", sum("three"));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    rig.server.reply("tools/list", tools("string", 0));
    EXPECT_TRUE(co_await rig.client->call_tool(watchdog(), "add", {{"a", "two"}}));
    EXPECT_EQ(rig.server.count("tools/list"), 2u);
    const auto refused = co_await rig.client->call_tool(watchdog(), "add", {{"a", 2}});
    CO_ASSERT(!refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kSchema);
    EXPECT_EQ(rig.server.count("tools/list"), 3u) << "looked once, not for ever";
    EXPECT_EQ(rig.server.count("tools/call"), 1u);
}
TEST(SchemaChecks, AStaleListIsFetchedAgainBeforeArgumentsAreRefused) {
    run(Revision::k2025_11_25, stale_arguments);
    run(Revision::k2026_07_28, stale_arguments);
}

Task<void> stale_result(Rig& rig) {
    rig.server.reply("tools/list", tools("number", 0));
    rig.server.on("tools/call", [&rig](const Heard&) -> std::optional<TestServer::Answer> {
        rig.server.reply("tools/list", tools("string", 0));
        return sum("three");
    });
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    EXPECT_TRUE(co_await rig.client->call_tool(watchdog(), "add", {{"a", 1}}));
    EXPECT_EQ(rig.server.count("tools/list"), 2u);
}
TEST(SchemaChecks, AStaleListIsFetchedAgainBeforeAResultIsRefused) {
    run(Revision::k2026_07_28, stale_result);
}

Task<void> fresh_list(Rig& rig) {
    rig.server.reply("tools/list", tools("number", 3'600'000));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto refused = co_await rig.client->call_tool(watchdog(), "add", {{"a", "two"}});
    CO_ASSERT(!refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kSchema);
    EXPECT_EQ(rig.server.count("tools/list"), 1u);
}
TEST(SchemaChecks, AFreshListIsTrusted) {
    run(Revision::k2026_07_28, fresh_list);
}

Task<void> changed_list(Rig& rig) {
    rig.server.capabilities.set("tools", JsonObject{{"listChanged", true}});
    bool changed = false;
    rig.settings.handlers.on_list_changed = [&](ListKind) {
        changed = true;
        rig.server.wake();
    };
    CO_ASSERT(co_await rig.connect());
    rig.server.reply("tools/list", tools("number", 0));
    rig.server.reply("tools/call", sum("three"));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    rig.server.reply("tools/list", tools("string", 0));
    co_await rig.server.notify("notifications/tools/list_changed");
    CO_ASSERT(co_await rig.server.until([&changed] { return changed; }));
    EXPECT_TRUE(co_await rig.client->call_tool(watchdog(), "add", {{"a", "two"}}));
    EXPECT_EQ(rig.server.count("tools/list"), 2u);
}
TEST(SchemaChecks, AListTheServerSaidChangedIsFetchedAgainBeforeArgumentsAreRefused) {
    run(Revision::k2025_11_25, changed_list, false);
}

Task<void> tool_gone(Rig& rig) {
    rig.server.reply("tools/list", tools("number", 0));
    rig.server.reply("tools/call", said("the server decides"));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    rig.server.reply("tools/list", parse(R"({"tools":[]})"));
    EXPECT_TRUE(co_await rig.client->call_tool(watchdog(), "add", {{"a", "two"}}));
}
TEST(SchemaChecks, AToolNoLongerListedIsLeftToTheServer) {
    run(Revision::k2025_11_25, tool_gone);
}

}  // namespace
}  // namespace gantry::mcp
