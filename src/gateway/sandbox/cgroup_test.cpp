// The kernel's own tree requires a machine that delegates one, so these tests build one in a folder. They create the
// files that the kernel would add to a new cgroup themselves.

#include "gateway/sandbox/cgroup.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace gantry::gateway::sandbox {
namespace {

namespace fs = std::filesystem;

class CgroupTree : public ::testing::Test {
protected:
    CgroupTree() {
        char name[] = "/tmp/gantry-cgroup-XXXXXX";
        base_ = mkdtemp(name);
        fs::create_directories(base_ + "/unit");
        put("/unit/cgroup.controllers", "cpu memory pids");
        for (const char* file : {"/unit/cgroup.procs", "/unit/cgroup.subtree_control"}) put(file, "");
    }
    ~CgroupTree() override { fs::remove_all(base_); }

    void put(const std::string& file, const std::string& text) const { std::ofstream(base_ + file) << text; }
    std::string get(const std::string& file) const {
        std::ifstream in(base_ + file);
        return (std::ostringstream() << in.rdbuf()).str();
    }
    Result<Cgroup> find(const std::string& self = "1:cpu:/old\n0::/unit\n") const {
        return Cgroup::find_in(base_, self);
    }

    std::string base_;
};

TEST_F(CgroupTree, IsFoundWhereWeAreAndAlsoFromTheLeafWeMovedTo) {
    ASSERT_TRUE(find()) << find().error().to_string();
    EXPECT_EQ(find()->folder(), base_ + "/unit");
    EXPECT_EQ(find("0::/unit/gantry.self\n")->folder(), base_ + "/unit");
}

TEST_F(CgroupTree, SaysWhichControllerIsMissing) {
    put("/unit/cgroup.controllers", "cpu pids");
    ASSERT_FALSE(find());
    EXPECT_EQ(find().error().message(), "no memory controller in our group");
}

TEST_F(CgroupTree, SaysThatItIsNotDelegated) {
    if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    fs::permissions(base_ + "/unit/cgroup.procs", fs::perms::owner_read);
    ASSERT_FALSE(find());
    EXPECT_NE(find().error().message().find("Delegate=yes"), std::string::npos);
}

TEST_F(CgroupTree, MovesUsIntoALeafBeforeItAsksForLimits) {
    fs::create_directories(base_ + "/unit/gantry.self");
    put("/unit/gantry.self/cgroup.procs", "");
    ASSERT_TRUE(find()->prepare());
    EXPECT_EQ(get("/unit/gantry.self/cgroup.procs"), std::to_string(getpid()));
    EXPECT_EQ(get("/unit/cgroup.subtree_control"), "+memory +pids");
}

TEST_F(CgroupTree, DoesNothingTwice) {
    put("/unit/cgroup.subtree_control", "memory pids");
    ASSERT_TRUE(find()->prepare());
    EXPECT_FALSE(fs::exists(base_ + "/unit/gantry.self"));
}

TEST_F(CgroupTree, RemovesWhatKilledGatewaysLeft) {
    put("/unit/cgroup.subtree_control", "memory pids");
    const std::string ours = base_ + "/unit/gantry.a.b." + std::to_string(getpid()) + ".1";
    const std::string gone = base_ + "/unit/gantry.a.b.2147483646.1";
    for (const std::string& folder : {ours, gone, base_ + "/unit/other.2147483646.1"}) fs::create_directories(folder);
    ASSERT_TRUE(find()->prepare());
    EXPECT_TRUE(fs::exists(ours));
    EXPECT_FALSE(fs::exists(gone));
    EXPECT_TRUE(fs::exists(base_ + "/unit/other.2147483646.1"));
}

TEST_F(CgroupTree, AGroupThatCannotBeLimitedIsAnErrorAndLeavesNothing) {
    put("/unit/cgroup.subtree_control", "memory pids");
    EXPECT_FALSE(find()->make("x", 1 << 20, 10));
    for (const auto& entry : fs::directory_iterator(base_ + "/unit"))
        EXPECT_FALSE(entry.is_directory()) << entry.path();
}

}  // namespace
}  // namespace gantry::gateway::sandbox
