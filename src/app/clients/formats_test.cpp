#include <gtest/gtest.h>

#include "app/clients/jsonc.hpp"
#include "app/clients/toml.hpp"

namespace gantry::app {
namespace {

constexpr std::string_view kSettings = R"(// settings
{
  "theme": "dark", /* keep */
  "url": "http://a//b",
  "mcpServers": {
    // mine
    "files": {"command": "npx", "args": ["-y",],},
  },
}
)";

TEST(Jsonc, ReadsCommentsAndCommasAtTheEnd) {
    const auto json = parse_jsonc(kSettings);
    ASSERT_TRUE(json) << json.error().message();
    EXPECT_EQ(json->string_at("url"), "http://a//b");
    EXPECT_EQ(*json->at_pointer("/mcpServers/files/args"), Json(JsonArray{"-y"}));
    EXPECT_FALSE(parse_jsonc("{,}"));
    EXPECT_FALSE(parse_jsonc("{\"a\":1,,}"));
}

TEST(Jsonc, PutsAMemberInAndLeavesTheRestByteForByte) {
    const std::string path[] = {"mcpServers", "gantry"};
    const Json entry = JsonObject{{"url", "http://h/"}};
    const auto put = put_member(kSettings, path, entry);
    ASSERT_TRUE(put);
    EXPECT_EQ(*parse_jsonc(*put)->at_pointer("/mcpServers/gantry"), entry);
    std::string without = *put;
    const std::string added = "\n    \"gantry\": {\n      \"url\": \"http://h/\"\n    },";
    ASSERT_NE(without.find(added), std::string::npos) << *put;
    without.erase(without.find(added), added.size());
    EXPECT_EQ(without, kSettings);

    const auto again = put_member(*put, path, Json(JsonObject{{"url", "http://other/"}}));
    ASSERT_TRUE(again);
    EXPECT_EQ(parse_jsonc(*again)->at_pointer("/mcpServers/gantry")->string_at("url"), "http://other/");
    EXPECT_NE(again->find("// mine"), std::string::npos);
}

TEST(Jsonc, MakesWhatIsNotThere) {
    const std::string path[] = {"mcp", "servers", "gantry"};
    for (const std::string_view text : {"", "{}", "{\"a\": 1}", " \n"}) {
        const auto put = put_member(text, path, Json(1));
        ASSERT_TRUE(put) << text;
        const auto json = parse_jsonc(*put);
        ASSERT_TRUE(json) << *put;
        EXPECT_EQ(*json->at_pointer("/mcp/servers/gantry"), Json(1)) << *put;
    }
    EXPECT_FALSE(put_member("[]", path, Json(1)));
    EXPECT_FALSE(put_member("{\"mcp\": 5}", path, Json(1)));
    EXPECT_FALSE(put_member("{\"mcp\": ", path, Json(1)));
}

TEST(Toml, ReadsWhatSettingsAreWrittenIn) {
    const auto toml = parse_toml(R"(
model = "x"  # comment
n = 1_000
[mcp_servers.files]
command = 'npx'
args = [
  "-y", # one
  "a\tb",
]
env = { "A" = "b", C.D = "e" }
enabled = true
[mcp_servers."with space".env]
TOKEN = """
two
lines"""
[[list]]
a = 1
[[list]]
a = 2
)");
    ASSERT_TRUE(toml) << toml.error().message();
    EXPECT_EQ(*toml->find("n"), Json(1000));
    EXPECT_EQ(*toml->at_pointer("/mcp_servers/files/args"), Json(JsonArray{"-y", "a\tb"}));
    EXPECT_EQ(*toml->at_pointer("/mcp_servers/files/env/C/D"), Json("e"));
    EXPECT_EQ(*toml->at_pointer("/mcp_servers/files/enabled"), Json(true));
    EXPECT_EQ(*toml->at_pointer("/mcp_servers/with space/env/TOKEN"), Json("two\nlines"));
    EXPECT_EQ(*toml->at_pointer("/list/1/a"), Json(2));
}

TEST(Toml, FaultsNameTheLineAndNoValue) {
    for (const std::string_view text : {"a", "a = ", "a = 1\na = 2", "[a\n", "a = 'x", "a = [1", "a = {b = 1",
                                        "a = 1 b = s3cret", "a = \"\\q\"", "a = 1\n[a.b]\n", "[a]\n[[a]]\n"}) {
        const auto toml = parse_toml(text);
        ASSERT_FALSE(toml) << text;
        EXPECT_TRUE(toml.error().message().starts_with("line ")) << toml.error().message();
        EXPECT_FALSE(toml.error().message().contains("s3cret"));
    }
    EXPECT_FALSE(parse_toml("a = " + std::string(1000, '[')));
}

}  // namespace
}  // namespace gantry::app
