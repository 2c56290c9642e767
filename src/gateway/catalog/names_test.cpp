#include "gateway/catalog/names.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/catalog/stable_hash.hpp"

namespace gantry::gateway {
namespace {

TEST(PlainName, FollowsTheRuleOfTheConfiguration) {
    const std::string a60(60, 'a');
    const struct {
        std::string prefix, own, expected;
    } rows[] = {
        {"github", "search", "github_search"},
        {"github", "a.b/c d", "github_a_b_c_d"},
        {"my server", "x", "my_server_x"},
        {"a", "b-c_D9", "a_b-c_D9"},
        {"", "search", "search"},
        {"", "admin.tools/list", "admin.tools/list"},
        {"", std::string(128, 'x'), std::string(128, 'x')},
        {"", "with space", "with_space"},
        {"a", std::string(62, 'b'), "a_" + std::string(62, 'b')},
    };
    for (const auto& row : rows) EXPECT_EQ(plain_name(row.prefix, "s", row.own), row.expected);
}

// These exact names are in agents' prompts and allow lists: if this test fails, the shortening has changed for every
// user.
TEST(PlainName, ShorteningIsTheSameInEveryProcessAndVersion) {
    EXPECT_EQ(stable_hash(""), 0x3da4588b8c08334fu);
    EXPECT_EQ(stable_hex8("a"), "14e0cf09");
    EXPECT_EQ(plain_name("p", "s", std::string(63, 'b')), "p_" + std::string(53, 'b') + "_ca9d6af1");
    EXPECT_EQ(plain_name("p", "s", "天气"), "p____2797f1ba");
    EXPECT_EQ(plain_name("", "s", std::string(129, 'b')), std::string(55, 'b') + "_7a55d0dc");
}

TEST(PlainName, AlwaysMeetsTheLimits) {
    for (const std::string& own :
         {std::string(500, 'x'), std::string("天气/预报"), std::string("\n\t\""), std::string()}) {
        const std::string name = plain_name("prefix", "s", own);
        EXPECT_LE(name.size(), kMaxName);
        EXPECT_TRUE(std::ranges::all_of(name, [](char c) { return std::isalnum(c) || c == '_' || c == '-'; })) << name;
    }
}

TEST(PlainName, ThingsThatShortenAlikeStayApart) {
    EXPECT_NE(plain_name("p", "s", std::string(80, 'b') + "1"), plain_name("p", "s", std::string(80, 'b') + "2"));
    EXPECT_NE(plain_name("p", "s", "天气"), plain_name("p", "s", "新闻"));
    EXPECT_NE(hashed_name("x", "source", "own"), hashed_name("x", "other", "own"));
    EXPECT_NE(hashed_name("x", "ab", "c"), hashed_name("x", "a", "bc"));
}

TEST(SuffixedName, SaysWhichSource) {
    EXPECT_EQ(suffixed_name("search", "git hub", "search"), "search_git_hub");
    EXPECT_EQ(suffixed_name(std::string(60, 'a'), "github", "x").size(), kMaxName);
}

TEST(UriTag, MakesAnotherUriThatLeadsBack) {
    EXPECT_EQ(uri_tag("github"), "via-github+");
    EXPECT_EQ(uri_tag("7-zip.local"), "via-7-zip.local+");
    EXPECT_NE(uri_tag("Git"), uri_tag("git"));
    EXPECT_NE(uri_tag("a_b"), uri_tag("a b"));
    EXPECT_EQ(tag_of("via-github+file:///x"), "via-github+");
    EXPECT_EQ(tag_of("file:///x+y"), "");
    EXPECT_EQ(tag_of("via-github"), "");
}

}  // namespace
}  // namespace gantry::gateway
