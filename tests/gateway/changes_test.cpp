// Every client that asked for a server's changes is notified of them, whatever the eras and transports on both sides,
// and no other client is.
#include "gateway/watched.hpp"

namespace gantry::testing {
namespace {

class ChangesTest : public ::testing::TestWithParam<Reached> {
protected:
    void SetUp() override { SKIP_WITHOUT(watched_js()); }
};

/// Adds a tool, which all clients are notified of and see; removes it, which they are notified of and no longer see it.
void expect_tool_comes_and_goes(std::vector<Ear*> ears) {
    for (Ear* ear : ears) EXPECT_FALSE(ear->lists("w_extra"));
    for (const bool comes : {true, false}) {
        std::vector<int> before;
        for (Ear* ear : ears) before.push_back(ear->heard().list_changes("tools"));
        EXPECT_EQ(ears.front()->say(comes ? "w_add_tool" : "w_remove_tool", {{"name", "extra"}}),
                  comes ? "added" : "removed");
        for (std::size_t i = 0; i < ears.size(); ++i) {
            EXPECT_TRUE(eventually([&] { return ears[i]->heard().list_changes("tools") > before[i]; }))
                << "client " << i << " heard nothing";
            EXPECT_EQ(ears[i]->lists("w_extra"), comes) << "client " << i;
        }
    }
}

TEST_P(ChangesTest, ReachEveryClientThatAskedAndNobodyElse) {
    Watched server("w", GetParam());
    Watched other("other", Reached::kStdioModern);
    Gateway gateway("servers:\n" + server.entry() + other.entry());
    Ear legacy(over_http(gateway, Era::kLegacy));
    Ear modern(over_http(gateway, Era::kModern));
    Ear old(over_sse(gateway));
    Ear deaf(over_http(gateway, Era::kModern));  // subscribes to nothing
    expect_tool_comes_and_goes({&legacy, &modern, &old, &deaf});

    for (Ear* ear : {&legacy, &modern, &old}) {
        const auto subscribed = ear->client().subscribe(server.motto());
        EXPECT_TRUE(subscribed) << subscribed.error().to_string();
    }
    EXPECT_TRUE(modern.client().subscribe(other.motto()));
    EXPECT_FALSE(modern.client().subscribe("watched://nobody/has/this"));
    EXPECT_EQ(legacy.say("w_touch"), "1");
    for (Ear* ear : {&legacy, &modern, &old}) {
        EXPECT_TRUE(eventually([&] { return ear->heard().updates().contains(server.motto()); }));
    }
    // An unsubscribed resource is no longer announced; the list's next change, which follows it, is.
    EXPECT_TRUE(old.client().unsubscribe(server.motto()));
    EXPECT_EQ(legacy.say("w_touch"), "2");
    EXPECT_TRUE(eventually([&] { return legacy.heard().updates().count(server.motto()) == 2; }));
    EXPECT_TRUE(eventually([&] { return modern.heard().updates().count(server.motto()) == 2; }));
    expect_tool_comes_and_goes({&legacy, &modern, &old, &deaf});
    EXPECT_THAT(old.heard().updates(), ::testing::ElementsAre(server.motto()));
    EXPECT_THAT(deaf.heard().updates(), ::testing::IsEmpty());
    EXPECT_THAT(modern.heard().updates(), ::testing::Not(::testing::Contains(other.motto())));
    for (Ear* ear : {&legacy, &modern, &old, &deaf}) EXPECT_EQ(ear->heard().list_changes("prompts"), 0);
}

INSTANTIATE_TEST_SUITE_P(EveryServer, ChangesTest, ::testing::ValuesIn(kAllReached),
                         [](const auto& info) { return to_string(info.param); });

TEST(ChangesOverStdioTest, ReachAClientOfEitherEra) {
    SKIP_WITHOUT(watched_js());
    for (const Era era : {Era::kLegacy, Era::kModern}) {
        for (const Reached how : {Reached::kStdioLegacy, Reached::kStdioModern}) {
            const Watched server("w", how);
            const TempDir folder;
            Ear ear(over_stdio(folder, "servers:\n" + server.entry(), era));
            expect_tool_comes_and_goes({&ear});
            EXPECT_TRUE(ear.client().subscribe(server.motto()));
            EXPECT_EQ(ear.say("w_touch"), "1");
            EXPECT_TRUE(eventually([&] { return ear.heard().updates().contains(server.motto()); }));
        }
    }
}

TEST(LateServerTest, AppearsToClientsThatAreConnectedAlready) {
    SKIP_WITHOUT(watched_js());
    const int port = free_port();
    Gateway gateway("servers:\n  - name: late\n    url: http://127.0.0.1:" + std::to_string(port) + "/mcp\n" +
                    Watched("w", Reached::kStdioModern).entry());
    Ear legacy(over_http(gateway, Era::kLegacy));
    Ear modern(over_http(gateway, Era::kModern));
    Ear old(over_sse(gateway));
    for (Ear* ear : {&legacy, &modern, &old}) {
        EXPECT_TRUE(ear->lists("w_echo")) << "a server that is down costs its own tools only";
        EXPECT_FALSE(ear->lists("late_echo"));
    }
    const Watched late("late", Reached::kHttpLegacy, port);
    for (Ear* ear : {&legacy, &modern, &old}) {
        EXPECT_TRUE(eventually([&] { return ear->heard().list_changes("tools") > 0; }));
        EXPECT_TRUE(eventually([&] { return ear->lists("late_echo"); }));
        EXPECT_EQ(ear->say("late_echo", {{"value", "here"}}), "here");
    }
}

TEST(OfficialClientsTest, HearOfChangesTheySubscribedTo) {
    SKIP_WITHOUT(watched_js());
    // Not a legacy child: these clients accept requests, so their calls would go to a process of their own.
    const Watched legacy("w", Reached::kHttpLegacy);
    Gateway gateway("servers:\n" + legacy.entry() + Watched("m", Reached::kStdioModern).entry());
    const Json changes =
        JsonArray{JsonArray{"call", "w_touch"}, JsonArray{"wait", "notifications/resources/updated", 1},
                  JsonArray{"call", "m_touch"}, JsonArray{"wait", "notifications/resources/updated", 2}};
    const auto run = [&](const char* version, const char* era, JsonArray steps) {
        for (const Json& step : *changes.if_array()) steps.push_back(step);
        steps.push_back(JsonArray{"call", "m_add_tool", JsonObject{{"name", std::string(version) + era}}});
        steps.push_back(JsonArray{"wait", "notifications/tools/list_changed", 1});
        const Json result = run_client(version, era, "http", gateway.url(), steps);
        const Json* heard = result.find("heard");
        ASSERT_NE(heard, nullptr) << result.dump();
        EXPECT_EQ(heard->dump(), R"([{"method":"notifications/resources/updated","uri":"watched://w/motto"},)"
                                 R"({"method":"notifications/resources/updated","uri":"watched://m/motto"},)"
                                 R"({"method":"notifications/tools/list_changed"}])")
            << result.dump();
    };
    const JsonArray uris{"watched://w/motto", "watched://m/motto"};
    JsonArray subscribing;
    for (const Json& uri : uris) subscribing.push_back(JsonArray{"subscribe", uri});
    run("v1", "legacy", subscribing);
    run("v2", "legacy", subscribing);
    const Json filter = JsonObject{{"toolsListChanged", true}, {"resourceSubscriptions", uris}};
    run("v2", "modern", JsonArray{Json(JsonArray{"listen", filter})});
}

}  // namespace
}  // namespace gantry::testing
