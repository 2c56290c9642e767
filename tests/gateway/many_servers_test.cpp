// Twenty servers of both eras and three transports behind one endpoint.
#include <gmock/gmock.h>

#include <thread>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

TEST(ManyServersTest, TwentyServersOfMixedErasAndTransportsAnswerAtOnce) {
    SKIP_WITHOUT(dual_era_js());
    SKIP_WITHOUT(everything_js());
    HttpPeer both({node(), dual_era_js(), "http", "both"});
    HttpPeer modern({node(), dual_era_js(), "http", "modern"});
    std::string config = "servers:\n";
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) {
        const std::string name = "s" + std::to_string(i);
        names.push_back(name);
        switch (i % 5) {
            case 0: config += dual_era_stdio(name, "    era: modern\n"); break;
            case 1: config += dual_era_stdio(name, "    era: legacy\n"); break;
            case 2: config += "  - name: " + name + "\n    url: " + both.url() + "\n    era: legacy\n"; break;
            case 3: config += "  - name: " + name + "\n    url: " + modern.url() + "\n"; break;
            default: config += dual_era_stdio(name); break;
        }
    }
    Gateway gateway(config);
    for (const Era era : {Era::kLegacy, Era::kModern}) {
        auto options = options_for(HttpServer{.url = gateway.url()});
        options.era = era;
        auto client = connect(options);
        ASSERT_TRUE(client.has_value()) << client.error().to_string();
        auto tools = client->list_tools();
        ASSERT_TRUE(tools.has_value());
        for (const std::string& name : names) EXPECT_TRUE(has_tool(*tools, name + "_add")) << name;

        std::vector<Pending<mcp::CallToolResult>> calls;
        for (int i = 0; i < 20; ++i)
            calls.push_back(client->call_async(names[static_cast<std::size_t>(i)] + "_add", {{"a", i}, {"b", 1000}}));
        for (int i = 0; i < 20; ++i) {
            auto result = calls[static_cast<std::size_t>(i)].get();
            ASSERT_TRUE(result.has_value()) << names[static_cast<std::size_t>(i)] << result.error().to_string();
            EXPECT_EQ(result->text(), std::to_string(1000 + i));
        }
    }
}

TEST(ScopesTest, OneServerAndOneGroupHaveEndpointsOfTheirOwn) {
    SKIP_WITHOUT(dual_era_js());
    Gateway gateway("servers:\n" + dual_era_stdio("left") + dual_era_stdio("right") +
                    "groups:\n  - name: sums\n    tools: ['*_add']\n");
    const auto tools_at = [](const std::string& url) {
        std::vector<std::string> names;
        auto client = connect(options_for(HttpServer{.url = url}));
        if (!client) return names;
        if (auto tools = client->list_tools()) {
            for (const Tool& tool : *tools) names.push_back(tool.name());
        }
        return names;
    };
    EXPECT_THAT(tools_at(gateway.at("/mcp/servers/left")), ::testing::Contains("add"));
    EXPECT_THAT(tools_at(gateway.at("/mcp/groups/sums")), ::testing::UnorderedElementsAre("left_add", "right_add"));
    EXPECT_THAT(tools_at(gateway.at("/mcp/groups/none")), ::testing::IsEmpty());
}

}  // namespace
}  // namespace gantry::testing
