#include "mcp/client/list_page.hpp"
#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

std::vector<std::string> names(const std::vector<Tool>& tools) {
    std::vector<std::string> out;
    for (const Tool& tool : tools) out.push_back(tool.name);
    return out;
}

Json tool(std::string name) {
    return JsonObject{{"name", std::move(name)}, {"inputSchema", JsonObject{{"type", "object"}}}};
}

Json page(JsonArray tools, std::optional<std::string> next = {}, int ttl_ms = 0) {
    JsonObject out{
        {"resultType", "complete"}, {"tools", std::move(tools)}, {"ttlMs", ttl_ms}, {"cacheScope", "private"}};
    if (next) out.set("nextCursor", *next);
    return out;
}

std::optional<TestServer::Answer> three_pages(const Heard& heard) {
    const std::string cursor = heard.text("/cursor");
    if (cursor.empty()) return page({tool("a"), tool("b")}, "p2");
    if (cursor == "p2") return page({tool("c")}, "");  // an empty cursor is a valid cursor
    return std::unexpected(RpcError{.code = -32602, .message = "bad cursor", .data = {}});
}

Task<void> walks(Rig& rig) {
    rig.server.on("tools/list", [](const Heard& heard) -> std::optional<TestServer::Answer> {
        const Json* cursor = heard.params.find("cursor");
        if (cursor != nullptr && cursor->is_string() && cursor->if_string()->empty()) return page({tool("d")});
        return three_pages(heard);
    });
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(tools);
    EXPECT_EQ(names(*tools), (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_EQ(rig.server.count("tools/list"), 3u);
}
TEST(Lists, AllPagesAreWalkedAlsoThroughAnEmptyCursor) {
    run(Revision::k2025_11_25, walks);
    run(Revision::k2026_07_28, walks);
}

Task<void> same_cursor(Rig& rig) {
    rig.server.reply("tools/list", page({tool("a")}, "again"));
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(!tools);
    EXPECT_EQ(tools.error().code(), ErrorCode::kProtocol);
    EXPECT_EQ(rig.server.count("tools/list"), 2u);
}
TEST(Lists, TheSameCursorTwiceEndsTheWalk) {
    run(Revision::k2025_06_18, same_cursor);
}

Task<void> endless(Rig& rig) {
    int number = 0;
    rig.settings.max_pages = 7;
    rig.server.on("tools/list", [&number](const Heard&) -> std::optional<TestServer::Answer> {
        ++number;
        return page({tool("t" + std::to_string(number))}, "c" + std::to_string(number));
    });
    CO_ASSERT(co_await rig.connect());
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(!tools);
    EXPECT_EQ(tools.error().code(), ErrorCode::kLimit);
    EXPECT_EQ(rig.server.count("tools/list"), 7u);
}
TEST(Lists, EndlessCursorsMeetALimit) {
    run(Revision::k2025_11_25, endless, false);
}

Task<void> too_many(Rig& rig) {
    rig.settings.max_list_items = 5;
    rig.server.reply("tools/list", page({tool("1"), tool("2"), tool("3"), tool("4"), tool("5"), tool("6")}));
    CO_ASSERT(co_await rig.connect());
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(!tools);
    EXPECT_EQ(tools.error().code(), ErrorCode::kLimit);
}
TEST(Lists, TooManyItemsMeetALimit) {
    run(Revision::k2026_07_28, too_many, false);
}

Task<void> by_ttl(Rig& rig) {
    rig.server.reply("tools/list", page({tool("a")}, std::nullopt, 3'600'000));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    EXPECT_EQ(rig.server.count("tools/list"), 1u);
    CO_ASSERT(co_await rig.client->list_tools(watchdog(), true));
    EXPECT_EQ(rig.server.count("tools/list"), 2u) << "a refresh asks in any case";

    rig.server.reply("tools/list", page({tool("a")}, std::nullopt, 0));
    CO_ASSERT(co_await rig.client->list_tools(watchdog(), true));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    EXPECT_EQ(rig.server.count("tools/list"), 4u) << "a ttl of 0 is stale at once";
}
TEST(Lists, AModernListCountsForItsTtl) {
    run(Revision::k2026_07_28, by_ttl);
}

Task<void> shortest_ttl(Rig& rig) {
    rig.server.on("tools/list", [](const Heard& heard) -> std::optional<TestServer::Answer> {
        if (heard.text("/cursor").empty()) return page({tool("a")}, "p2", 3'600'000);
        return page({tool("b")}, std::nullopt, 0);
    });
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    EXPECT_EQ(rig.server.count("tools/list"), 4u);
}
TEST(Lists, TheShortestTtlOfAllPagesCounts) {
    run(Revision::k2026_07_28, shortest_ttl);
}

Task<void> until_changed(Rig& rig) {
    rig.server.capabilities.set("tools", JsonObject{{"listChanged", true}});
    std::vector<ListKind> changes;
    rig.settings.handlers.on_list_changed = [&](ListKind kind) {
        changes.push_back(kind);
        rig.server.wake();
    };
    CO_ASSERT(co_await rig.connect());
    rig.server.reply("tools/list", page({tool("a")}));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    EXPECT_EQ(rig.server.count("tools/list"), 1u);

    rig.server.reply("tools/list", page({tool("b")}));
    co_await rig.server.notify("notifications/tools/list_changed");
    CO_ASSERT(co_await rig.server.until([&changes] { return !changes.empty(); }));
    EXPECT_EQ(changes, std::vector{ListKind::kTools});
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(tools);
    EXPECT_EQ(names(*tools), std::vector<std::string>{"b"});
}
TEST(Lists, ALegacyListCountsUntilTheServerSaysItChanged) {
    run(Revision::k2025_11_25, until_changed, false);
}

Task<void> unannounced(Rig& rig) {
    rig.server.reply("tools/list", page({tool("a")}));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    EXPECT_EQ(rig.server.count("tools/list"), 2u);
}
TEST(Lists, ALegacyServerThatPromisesNothingIsAskedEveryTime) {
    run(Revision::k2025_11_25, unannounced);
}

Task<void> not_offered(Rig& rig) {
    const auto prompts = co_await rig.client->list_prompts(watchdog());
    CO_ASSERT(prompts);
    EXPECT_TRUE(prompts->empty());
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(!tools);
    EXPECT_EQ(tools.error().code(), ErrorCode::kRpc) << "tools were declared, so refusing them is an error";
}
TEST(Lists, AListThatIsNotOfferedIsEmpty) {
    run(Revision::k2025_03_26, not_offered);
}

Task<void> arguments(Rig& rig) {
    rig.server.reply("tools/list", parse(R"({"tools":[{"name":"add","inputSchema":{"type":"object",
        "properties":{"a":{"type":"number"}},"required":["a"]},
        "outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}}]})"));
    rig.server.reply("tools/call", parse(R"({"content":[],"structuredContent":{"sum":"three"}})"));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto refused = co_await rig.client->call_tool(watchdog(), "add", {{"a", "secret"}});
    CO_ASSERT(!refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kSchema);
    EXPECT_EQ(refused.error().to_string().find("secret"), std::string::npos);
    EXPECT_EQ(rig.server.count("tools/call"), 0u);

    const auto broken = co_await rig.client->call_tool(watchdog(), "add", {{"a", 1}});
    CO_ASSERT(!broken);
    EXPECT_EQ(broken.error().code(), ErrorCode::kSchema);
    CallSettings unchecked;
    unchecked.validate = false;
    EXPECT_TRUE(co_await rig.client->call_tool(watchdog(), "add", {{"a", "1"}}, unchecked));
}
TEST(Lists, KnownSchemasCheckArgumentsAndResults) {
    run(Revision::k2025_11_25, arguments);
}

Task<void> malformed(Rig& rig) {
    std::vector<std::string> skipped;
    rig.settings.handlers.on_skipped = [&skipped](const Error& error) { skipped.push_back(error.message()); };
    for (const char* offered : {"resources", "prompts"}) rig.server.capabilities.set(offered, JsonObject{});
    CO_ASSERT(co_await rig.connect());
    rig.server.reply("tools/list",
                     parse(R"({"ttlMs":3600000,"cacheScope":"private","tools":[{"name":"a","inputSchema":{}},
        {"name":7,"inputSchema":{}},17,{"description":"secret"},{"name":"b","inputSchema":{"type":"object"}}]})"));
    rig.server.reply("resources/list", parse(R"({"resources":[{"name":"no uri"},{"uri":"a://b","name":"c"}]})"));
    rig.server.reply("resources/templates/list",
                     parse(R"({"resourceTemplates":[{"uriTemplate":"a://{x}","name":"x"},{"uriTemplate":null}]})"));
    rig.server.reply("prompts/list", parse(R"({"prompts":[{"name":"p","arguments":[]},{"title":"nameless"}]})"));

    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(tools);
    EXPECT_EQ(names(*tools), (std::vector<std::string>{"a", "b"}));
    CO_ASSERT(skipped.size() == 3);
    EXPECT_NE(skipped[0].find("tools[1] is left out"), std::string::npos) << skipped[0];
    EXPECT_NE(skipped[1].find("tools[2] is left out"), std::string::npos) << skipped[1];
    EXPECT_EQ(skipped[2].find("secret"), std::string::npos);

    const auto resources = co_await rig.client->list_resources(watchdog());
    const auto templates = co_await rig.client->list_resource_templates(watchdog());
    const auto prompts = co_await rig.client->list_prompts(watchdog());
    CO_ASSERT(resources && templates && prompts);
    EXPECT_EQ(resources->size(), 1u);
    EXPECT_EQ(templates->size(), 1u);
    EXPECT_EQ(prompts->size(), 1u);
    EXPECT_EQ(skipped.size(), 6u);
}
TEST(Lists, AMalformedEntryIsLeftOutAndTold) {
    run(Revision::k2025_11_25, malformed, false);
    run(Revision::k2026_07_28, malformed, false);
}

TEST(Lists, ManyMalformedEntriesAreToldAsANumber) {
    JsonArray entries(1000, Json(17));
    entries.push_back(tool("good"));
    std::vector<std::string> skipped;
    const auto page =
        read_page<ListToolsResult, Tool>(JsonObject{{"tools", std::move(entries)}}, "tools", Revision::k2025_11_25,
                                         [&skipped](const Error& why) { skipped.push_back(why.message()); });
    ASSERT_TRUE(page);
    EXPECT_EQ(names(page->tools), std::vector<std::string>{"good"});
    ASSERT_EQ(skipped.size(), kMaxSkippedTold + 1);
    EXPECT_EQ(skipped.back(), "tools: 990 more entries are left out");
}

Task<void> no_list(Rig& rig) {
    rig.server.reply("tools/list", parse(R"({"tools":"none"})"));
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(!tools);
    EXPECT_EQ(tools.error().code(), ErrorCode::kProtocol);
}
TEST(Lists, AnAnswerThatIsNoListIsAnError) {
    run(Revision::k2025_11_25, no_list);
}

TEST(ListCache, CountsForItsTtlAndNoLonger) {
    ListCache<int> cache;
    const TimePoint start = SteadyClock::now();
    EXPECT_EQ(cache.fresh(start), nullptr);
    cache.store({1, 2}, seconds(10), cache.generation(), start);
    EXPECT_NE(cache.fresh(start + milliseconds(9'999)), nullptr);
    EXPECT_EQ(cache.fresh(start + seconds(10)), nullptr);
    EXPECT_NE(cache.latest(), nullptr);
    cache.store({3}, std::chrono::hours(1000), cache.generation(), start);
    EXPECT_EQ(cache.fresh(start + ListCache<int>::kLongest), nullptr);
}

TEST(ListCache, AChangeDuringTheFetchWins) {
    ListCache<int> cache;
    const auto generation = cache.generation();
    cache.invalidate();
    cache.store({1}, seconds(10), generation);
    EXPECT_EQ(cache.fresh(), nullptr);
}

}  // namespace
}  // namespace gantry::mcp
