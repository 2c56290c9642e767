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

TEST_P(ClientsTest, ToolsPromptsResourcesAndTemplatesAreAllBridged) {
    Gateway gateway(config());
    const Json result =
        run("http", gateway.url(),
            JsonArray{Json(JsonArray{"tools"}), Json(JsonArray{"prompts"}), Json(JsonArray{"resources"}),
                      Json(JsonArray{"templates"}), JsonArray{"call", "dual_add", JsonObject{{"a", 2}, {"b", 3}}},
                      JsonArray{"prompt", "every_args-prompt", JsonObject{{"city", "Paris"}}},
                      JsonArray{"read", "fixture://motto"}, JsonArray{"read", "demo://resource/dynamic/text/4"}});
    const auto listed = [&](const std::string& pointer) {
        std::vector<std::string> names;
        const Json* list = result.at_pointer("/results/" + pointer);
        if (list == nullptr || !list->is_array()) return names;
        for (const Json& name : *list->if_array()) names.push_back(*name.if_string());
        return names;
    };
    using ::testing::IsSupersetOf;
    EXPECT_THAT(listed("0/tools"), IsSupersetOf({"dual_add", "every_echo"})) << result.dump();
    EXPECT_THAT(listed("1/prompts"), IsSupersetOf({"dual_review", "every_args-prompt"})) << result.dump();
    EXPECT_THAT(listed("2/resources"), ::testing::Contains("fixture://motto")) << result.dump();
    EXPECT_THAT(listed("3/templates"), ::testing::Contains("demo://resource/dynamic/text/{resourceId}"))
        << result.dump();
    const auto said = [&](const std::string& pointer) {
        const Json* found = result.at_pointer("/results/" + pointer);
        return found == nullptr || !found->is_string() ? result.dump() : *found->if_string();
    };
    EXPECT_EQ(text_of(result, 4), "5");
    EXPECT_THAT(said("5/messages/0/content/text"), ::testing::HasSubstr("Paris"));
    EXPECT_EQ(said("6/contents/0/text"), "carry on");
    EXPECT_EQ(said("7/contents/0/uri"), "demo://resource/dynamic/text/4") << "an entry of the template, never listed";
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
