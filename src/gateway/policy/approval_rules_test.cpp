#include "gateway/policy/approval_rules.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway {
namespace {

constexpr auto kNever = ApprovalRule::Says::kNever;

TEST(ApprovalRules, ChooseByToolServerGroupAndHint) {
    const std::vector<GroupSpec> groups = {{.name = "ops", .servers = {"shop"}}, {.name = "money", .tools = {"*_pay"}}};
    const Item drop{.name = "delete_all"};
    const Item look{.name = "look", .hints = {.read_only = true}};
    const Item mild{.name = "add", .hints = {.destructive = false}};
    const struct {
        ApprovalRule rule;
        const Item& tool;
        const char *source, *public_name;
        bool needed;
    } rows[] = {
        {{}, drop, "shop", "x", false},
        {{.tools = {"delete_*"}}, drop, "shop", "x", true},
        {{.tools = {"delete_*"}}, look, "shop", "x", false},
        {{.servers = {"shop"}}, look, "shop", "x", true},
        {{.servers = {"sh*"}}, look, "shop", "x", true},
        {{.servers = {"bank"}}, look, "shop", "x", false},
        {{.tools = {"look"}, .servers = {"bank"}}, look, "shop", "x", false},
        {{.groups = {"ops"}}, look, "shop", "x", true},
        {{.groups = {"ops"}}, look, "bank", "x", false},
        {{.groups = {"money"}}, look, "bank", "bank_pay", true},
        {{.groups = {"unknown"}}, look, "shop", "x", false},
        {{.destructive = true}, drop, "shop", "x", true},
        {{.destructive = true}, look, "shop", "x", false},
        {{.destructive = true}, mild, "shop", "x", false},
        {{.servers = {"bank"}, .destructive = true}, drop, "shop", "x", false},
    };
    int number = 0;
    for (const auto& row : rows) {
        EXPECT_EQ(needs_approval({.rules = {row.rule}}, groups, row.source, row.tool, row.public_name), row.needed)
            << number;
        ++number;
    }
}

TEST(ApprovalRules, NeverWinsOnlyWhenSaidSo) {
    const Item tool{.name = "delete"};
    ApprovalOptions options{.rules = {{.tools = {"*"}}, {.says = kNever, .tools = {"delete"}}}};
    EXPECT_TRUE(needs_approval(options, {}, "s", tool, "delete"));
    options.never_wins = true;
    EXPECT_FALSE(needs_approval(options, {}, "s", tool, "delete"));
    options.rules.erase(options.rules.begin());
    EXPECT_FALSE(needs_approval(options, {}, "s", tool, "delete"));
}

TEST(ApprovalRules, AServersOwnListsAreRulesForItAlone) {
    McpServerSpec server{.name = "github"};
    server.require_approval = {.always = {"delete_repository"}, .never = {"get_*"}};
    const ApprovalOptions options{.rules = rules_of(server)};
    const Item drop{.name = "delete_repository"};
    const Item get{.name = "get_user"};
    EXPECT_TRUE(needs_approval(options, {}, "github", drop, "x"));
    EXPECT_FALSE(needs_approval(options, {}, "other", drop, "x"));
    EXPECT_FALSE(needs_approval(options, {}, "github", get, "x"));
}

}  // namespace
}  // namespace gantry::gateway
