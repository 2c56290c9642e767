#include "gateway/sandbox/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::gateway::sandbox {
namespace {

using ::testing::Contains;
using ::testing::Not;

const Places kPlaces{.state = "/state", .homes = "/state/homes", .home = "/home/ada", .cwd = "/here"};

Rules rules(const Isolation& isolation, std::vector<std::string> args = {}) {
    McpServerSpec server{.name = "x", .command = "/bin/sh", .args = args, .isolation = isolation};
    return rules_of(server, {.program = "/bin/sh", .args = std::move(args)}, kPlaces);
}

TEST(Levels, StandardLeavesTheNetworkOpenAndMemoryUnlimited) {
    const Rules standard = rules({});
    EXPECT_FALSE(standard.strict);
    EXPECT_EQ(standard.network, NetworkAccess::kOpen);
    EXPECT_EQ(standard.memory, 0u);
    EXPECT_EQ(standard.tasks, 4096u);
    EXPECT_EQ(standard.home, "/state/homes/x");
}

TEST(Levels, StrictClosesTheNetworkAndLimitsMemoryAndProcesses) {
    const Rules strict = rules({.level = IsolationLevel::kStrict});
    EXPECT_TRUE(strict.strict);
    EXPECT_EQ(strict.network, NetworkAccess::kNone);
    EXPECT_EQ(strict.memory, std::size_t{1} << 30);
    EXPECT_EQ(strict.tasks, 256u);
    EXPECT_THAT(strict.write, ::testing::ElementsAre("/state/homes/x"));
}

TEST(Levels, DetailsWinOverTheLevel) {
    const Rules rule = rules({.level = IsolationLevel::kStrict,
                              .network = NetworkAccess::kOpen,
                              .write = {"~/notes/../data"},
                              .home = HomeFolder::kHost,
                              .memory = 7,
                              .processes = 9});
    EXPECT_EQ(rule.network, NetworkAccess::kOpen);
    EXPECT_EQ(rule.memory, 7u);
    EXPECT_EQ(rule.tasks, 9u);
    EXPECT_EQ(rule.home, "/home/ada");
    EXPECT_THAT(rule.write, Contains("/home/ada/data"));
}

TEST(Levels, KeysAndTheGatewaysOwnFolderAreHiddenUnlessAKeyIsNamed) {
    EXPECT_THAT(rules({}).hide, Contains("/home/ada/.ssh"));
    EXPECT_THAT(rules({}).hide, Contains("/state"));
    const Rules named = rules({.read = {"~/.ssh/known_hosts", "/state"}});
    EXPECT_THAT(named.hide, Not(Contains("/home/ada/.ssh")));
    EXPECT_THAT(named.hide, Contains("/home/ada/.aws"));
    EXPECT_THAT(named.hide, Contains("/state")) << "nobody reads what the gateway keeps";
}

TEST(Levels, WhatTheCommandLineNamesIsReadByStrictAndWrittenByStandard) {
    EXPECT_THAT(rules({.level = IsolationLevel::kStrict}, {"--root", "/usr/share"}).read, Contains("/usr/share"));
    EXPECT_THAT(rules({.level = IsolationLevel::kStrict}, {"--root", "/usr/share"}).write, Not(Contains("/usr/share")));
    EXPECT_THAT(rules({}, {"/usr/share"}).write, Contains("/usr/share"));
    EXPECT_THAT(rules({.level = IsolationLevel::kStrict}, {"/"}).read, Not(Contains("/")));
}

TEST(Levels, AProgramOfAContainerEngineReachesItsSocket) {
    const auto hidden = [](const std::string& program) {
        const McpServerSpec server{.name = "x", .command = program};
        return rules_of(server, {.program = program}, kPlaces).hide;
    };
    EXPECT_THAT(hidden("/bin/sh"), Contains("/run/docker.sock"));
    EXPECT_THAT(hidden("/usr/bin/docker"), Not(Contains("/run/docker.sock")));
    EXPECT_THAT(hidden("docker"), Contains("/run/containerd"));
}

TEST(Levels, PathsAreComparedByWholeParts) {
    EXPECT_TRUE(is_in("/a/b", "/a"));
    EXPECT_TRUE(is_in("/a", "/a"));
    EXPECT_FALSE(is_in("/ab", "/a"));
    EXPECT_TRUE(is_in("/a", "/"));
    EXPECT_EQ(expand_home("~/x", "/h"), "/h/x");
    EXPECT_EQ(expand_home("~", "/h"), "/h");
    EXPECT_EQ(expand_home("~x", "/h"), "~x");
}

}  // namespace
}  // namespace gantry::gateway::sandbox
