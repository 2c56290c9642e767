// A restarted server behind a URL has lost its sessions: calls continue, none runs twice, and no client reconnects.
#include "gateway/watched.hpp"

namespace gantry::testing {
namespace {

class RestartTest : public ::testing::TestWithParam<Reached> {
protected:
    void SetUp() override { SKIP_WITHOUT(watched_js()); }
};

TEST_P(RestartTest, ClientsOfEitherEraGoOnWithAServerThatForgotItsSessions) {
    const int port = free_port();
    auto server = std::make_unique<Watched>("w", GetParam(), port);
    Gateway gateway("servers:\n" + server->entry());
    Ear legacy(over_http(gateway, Era::kLegacy));
    Ear modern(over_http(gateway, Era::kModern));
    EXPECT_TRUE(legacy.client().subscribe(server->motto()));
    for (Ear* ear : {&legacy, &modern}) EXPECT_EQ(ear->say("w_echo", {{"value", "before"}}), "before");

    server.reset();
    server = std::make_unique<Watched>("w", GetParam(), port);
    int attempts = 0;
    for (Ear* ear : {&legacy, &modern}) {
        EXPECT_TRUE(eventually([&] {
            const std::string word = "attempt " + std::to_string(++attempts);
            return ear->say("w_echo", {{"value", word}}) == word;
        }));
    }
    const auto executed = Json::parse(modern.say("w_executed"));
    ASSERT_TRUE(executed && executed->is_object());
    EXPECT_FALSE(executed->if_object()->empty());
    for (const auto& [word, times] : *executed->if_object()) EXPECT_EQ(times.as_int(), 1) << word;
    // Subscriptions are still in effect.
    EXPECT_TRUE(eventually([&] {
        EXPECT_THAT(modern.say("w_touch"), ::testing::Not(::testing::HasSubstr("failed")));
        return !legacy.heard().updates().empty();
    }));
    EXPECT_THAT(legacy.heard().updates(), ::testing::Each(server->motto()));
}

INSTANTIATE_TEST_SUITE_P(ByUrl, RestartTest,
                         ::testing::Values(Reached::kHttpLegacy, Reached::kHttpModern, Reached::kSse),
                         [](const auto& info) { return to_string(info.param); });

}  // namespace
}  // namespace gantry::testing
