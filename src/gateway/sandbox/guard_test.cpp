#include "gateway/sandbox/guard.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway::sandbox {
namespace {

TEST(Guard, HasNoWriterWhileNoServerRuns) {
    const Guard guard;
    EXPECT_EQ(guard.writer_of("/anywhere"), "");
}

TEST(Guard, NamesTheServerThatMayWriteWhileItRuns) {
    Guard guard;
    auto shut = guard.add({.server = "shut", .locked = {"/conf"}});
    EXPECT_EQ(guard.writer_of("/conf"), "");
    EXPECT_EQ(guard.writer_of("/conf/..data"), "");
    EXPECT_EQ(guard.writer_of("/confidential"), "shut");
    auto open = guard.add({.server = "open", .locked = {"/conf"}, .open = {"/conf/data"}});
    EXPECT_EQ(guard.writer_of("/conf"), "");
    EXPECT_EQ(guard.writer_of("/conf/data/deep"), "open");
    open.reset();
    EXPECT_EQ(guard.writer_of("/conf/data/deep"), "");
    guard.opened(*shut);
    EXPECT_EQ(guard.writer_of("/conf"), "shut") << "a step that was to lock it failed";
}

TEST(Guard, TheNearestRuleCounts) {
    Guard guard;
    const auto family = guard.add({.server = "x", .locked = {"/a", "/a/b/c"}, .open = {"/a/b"}});
    EXPECT_EQ(guard.writer_of("/a"), "");
    EXPECT_EQ(guard.writer_of("/a/b"), "x");
    EXPECT_EQ(guard.writer_of("/a/b/c"), "");
}

TEST(Guard, FoldersAboveComeOutermostFirst) {
    EXPECT_EQ(folders_above({"/a/b/c", "/a/x"}), (std::vector<std::string>{"/a", "/a/b"}));
    EXPECT_EQ(folders_above({"/a"}), std::vector<std::string>());
}

}  // namespace
}  // namespace gantry::gateway::sandbox
