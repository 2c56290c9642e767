// Several servers in one file, each with its own environment and filters.
#include <gmock/gmock.h>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

TEST(FiltersTest, EachServerHasItsOwnEnvironmentAndFilters) {
    SKIP_WITHOUT(dual_era_js());
    const auto server = [](const std::string& name, const std::string& says, const std::string& filter) {
        return "  - name: " + name + "\n    command: " + node() + "\n    args: [" + peer_file("trouble_server.mjs") +
               ", " + name + "]\n    env: {ECHO_SAYS: \"" + says + "\"}\n" + filter;
    };
    Gateway gateway("servers:\n" + server("one", "of the first", "    tool_filter: [echo]\n") +
                    server("two", "of the second", "    deny: [\"*\"]\n    allow: [echo, who]\n") +
                    server("three", "of the third", "    deny: [echo]\n"));
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    ASSERT_TRUE(client) << client.error().to_string();
    const auto tools = client->list_tools();
    ASSERT_TRUE(tools) << tools.error().to_string();
    const auto description = [&](std::string_view name) {
        for (const Tool& tool : *tools)
            if (tool.name() == name) return std::string(tool.description());
        return std::string("there is none");
    };
    EXPECT_EQ(description("one_echo"), "of the first");
    EXPECT_EQ(description("one_who"), "there is none");
    EXPECT_EQ(description("two_echo"), "there is none") << "deny wins";
    EXPECT_EQ(description("three_echo"), "there is none");
    EXPECT_NE(description("three_who"), "there is none");
    // A hidden tool cannot be called either.
    EXPECT_FALSE(client->call("one_who", {}).has_value());
    EXPECT_FALSE(client->call("three_echo", {{"value", "x"}}).has_value());
    EXPECT_TRUE(client->call("one_echo", {{"value", "x"}}).has_value());
}

}  // namespace
}  // namespace gantry::testing
