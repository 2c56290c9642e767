#include <gtest/gtest.h>

#include <string>

#include "gateway/policy/glob.hpp"
#include "gateway/policy/rules.hpp"

namespace gantry::gateway {
namespace {

TEST(Glob, FitsAsDocumented) {
    const struct {
        std::string_view pattern, text;
        bool fits;
    } rows[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "anything at all", true},
        {"?", "", false},
        {"?", "a", true},
        {"?", "ab", false},
        {"get_*", "get_", true},
        {"get_*", "get_user", true},
        {"get_*", "forget_user", false},
        {"*_user", "get_user", true},
        {"*_user", "get_users", false},
        {"*a*b*c*", "xxaxxbxxcxx", true},
        {"*a*b*c*", "xxaxxcxxbxx", false},
        {"a*b", "ab", true},
        {"a*bc*c", "abcbcc", true},
        {"Get_*", "get_user", false},
        {"[ab]", "a", false},
        {"[ab]", "[ab]", true},
        {"a.b", "axb", false},
        {"file:///home/*", "file:///home/me/x", true},
        {"file:///home/*", "file:///etc/passwd", false},
        {"**", "x", true},
        {"a?*", "a", false},
        {"a?*", "ab", true},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(glob_match(row.pattern, row.text), row.fits) << row.pattern << " on " << row.text;
    }
}

TEST(Glob, ManyStarsStayCheap) {
    std::string pattern;
    for (int i = 0; i < 50; ++i) pattern += "a*";
    EXPECT_FALSE(glob_match(pattern + "b", std::string(20'000, 'a')));
}

TEST(Rules, DenyWinsAndAnEmptyAllowIsEverything) {
    const struct {
        Rules rules;
        std::string_view name;
        bool permitted;
    } rows[] = {
        {{}, "x", true},
        {{.allow = {"get_*"}}, "get_user", true},
        {{.allow = {"get_*"}}, "delete_user", false},
        {{.deny = {"delete_*"}}, "get_user", true},
        {{.deny = {"delete_*"}}, "delete_user", false},
        {{.allow = {"*"}, .deny = {"*_user"}}, "get_user", false},
        {{.allow = {"get_user"}, .deny = {"get_user"}}, "get_user", false},
        {{.allow = {"a", "b"}}, "b", true},
        {{.deny = {"*"}}, "file:///x", false},
    };
    for (const auto& row : rows) EXPECT_EQ(permits(row.rules, row.name), row.permitted) << row.name;
}

TEST(StaticPolicy, JudgesByTheRulesOfTheSourceAlone) {
    const StaticPolicy policy({{"github", {.allow = {"get_*", "file:///pub/*"}, .deny = {"get_secret"}}}});
    const Principal anybody;
    const Item get{.name = "get_user"};
    const Item secret{.name = "get_secret"};
    EXPECT_TRUE(policy.permits(anybody, &get, "github", "get_user"));
    EXPECT_FALSE(policy.permits(anybody, &secret, "github", "get_secret"));
    EXPECT_TRUE(policy.permits(anybody, &secret, "other", "get_secret"));
}

TEST(StaticPolicy, AUriHasToPassEvenWhereATemplateCoversIt) {
    const StaticPolicy policy({{"files", {.deny = {"file:///etc/*"}}}});
    const Item pattern{.kind = ItemKind::kTemplate, .name = "file:///{+path}"};
    const Principal anybody;
    EXPECT_TRUE(policy.permits(anybody, &pattern, "files", "file:///home/x"));
    EXPECT_FALSE(policy.permits(anybody, &pattern, "files", "file:///etc/passwd"));
    EXPECT_FALSE(policy.permits(anybody, nullptr, "files", "file:///etc/passwd"));
    EXPECT_TRUE(policy.permits(anybody, nullptr, "files", "")) << "a task whose tool was admitted before";
}

}  // namespace
}  // namespace gantry::gateway
