// The official clients through the gateway to the official servers: every combination of eras, over HTTP, HTTP+SSE and
// stdio.
#include <gmock/gmock.h>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

struct Combination {
    const char* client;  // v1, v2
    const char* client_era;
    const char* server_era;  // the era the gateway is configured to use with the server
};

std::string name_of(const ::testing::TestParamInfo<Combination>& info) {
    return std::string(info.param.client) + "_" + info.param.client_era + "_to_" + info.param.server_era;
}

class ClientsTest : public ::testing::TestWithParam<Combination> {
protected:
    void SetUp() override {
        SKIP_WITHOUT(dual_era_js());
        SKIP_WITHOUT(everything_js());
    }
    static std::string config() {
        return "servers:\n" + dual_era_stdio("dual", "    era: " + std::string(GetParam().server_era) + "\n") +
               everything_stdio("every");
    }
    static Json run(const std::string& transport, const std::string& target, const Json& steps) {
        return run_client(GetParam().client, GetParam().client_era, transport, target, steps);
    }
};

TEST_P(ClientsTest, ListAndCallOverHttp) {
    Gateway gateway(config());
    const Json result =
        run("http", gateway.url(),
            JsonArray{
                JsonArray{"call", "dual_add", JsonObject{{"a", 2}, {"b", 3}}},
                JsonArray{"call", "every_echo", JsonObject{{"message", "hi"}}}, JsonArray{"read", "fixture://motto"},
                JsonArray{"prompt", "dual_review", JsonObject{{"topic", "locks"}}}, JsonArray{"call", "no_such_tool"}});
    EXPECT_TRUE(lists(result, "dual_add")) << result.dump();
    EXPECT_TRUE(lists(result, "every_echo"));
    EXPECT_EQ(text_of(result, 0), "5");
    EXPECT_EQ(text_of(result, 1), "Echo: hi");
    EXPECT_THAT(result.dump(), ::testing::HasSubstr("carry on"));
    EXPECT_THAT(result.dump(), ::testing::HasSubstr("Please review locks"));
    ASSERT_NE(result.at_pointer("/results/4/error/code"), nullptr) << result.dump();
    EXPECT_EQ(result.at_pointer("/results/4/error/code")->as_int(), -32602);
}

TEST_P(ClientsTest, AServerThatAsksReachesTheClientWhateverTheEras) {
    Gateway gateway(config());
    const Json result = run("http", gateway.url(), JsonArray{Json(JsonArray{"call", "dual_greet"})});
    EXPECT_EQ(text_of(result, 0), "Good day, Ada") << result.dump();
    EXPECT_EQ(*result.find("asked"), Json(JsonArray{"elicitation/create"}));
}

TEST_P(ClientsTest, ListAndCallOverStdio) {
    const TempDir folder;
    std::ofstream(folder.path() + "/gantry.yaml") << config();
    const Json result = run(
        "stdio",
        gantry_program() + " stdio --config " + folder.path() + "/gantry.yaml --state-dir " + folder.path() + "/state",
        JsonArray{JsonArray{"call", "dual_add", JsonObject{{"a", 2}, {"b", 3}}}, JsonArray{"call", "dual_greet"}});
    EXPECT_EQ(text_of(result, 0), "5") << result.dump();
    EXPECT_EQ(text_of(result, 1), "Good day, Ada") << result.dump();
}

INSTANTIATE_TEST_SUITE_P(AllEras, ClientsTest,
                         ::testing::Values(Combination{"v1", "legacy", "legacy"}, Combination{"v1", "legacy", "modern"},
                                           Combination{"v2", "legacy", "legacy"}, Combination{"v2", "legacy", "modern"},
                                           Combination{"v2", "modern", "legacy"},
                                           Combination{"v2", "modern", "modern"}),
                         name_of);

TEST(OldClientTest, ListsAndCallsOverHttpAndSse) {
    SKIP_WITHOUT(dual_era_js());
    Gateway gateway("servers:\n" + dual_era_stdio("dual"));
    const Json result = run_client(
        "v1", "legacy", "sse", gateway.at("/sse"),
        JsonArray{JsonArray{"call", "dual_add", JsonObject{{"a", 2}, {"b", 3}}}, JsonArray{"call", "dual_greet"}});
    EXPECT_EQ(text_of(result, 0), "5") << result.dump();
    EXPECT_EQ(text_of(result, 1), "Good day, Ada") << result.dump();
}

}  // namespace
}  // namespace gantry::testing
