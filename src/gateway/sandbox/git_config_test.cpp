#include "gateway/sandbox/git_config.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "gateway/sandbox/test_box.hpp"
#include "io/process/spawn.hpp"

namespace gantry::gateway::sandbox {
namespace {

namespace fs = std::filesystem;
using testing::Box;
using ::testing::IsEmpty;

std::string text_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

class GitConfig : public ::testing::Test {
protected:
    void SetUp() override { fs::create_directories(own); }
    Box box;
    const std::string home = box.base + "/home";
    const std::string own = box.base + "/own";
};

TEST_F(GitConfig, IncludesTheUsersSettingsAndLeavesTheServersOwnAlone) {
    ASSERT_TRUE(include_git_config(own, home));
    EXPECT_TRUE(fs::is_empty(own)) << "the user has none";
    box.put("/home/.gitconfig", "[user]\n");
    fs::create_directories(home + "/.config/git");
    box.put("/home/.config/git/ignore", "*.swp\n");
    box.put("/home/.config/git/config", "[core]\n");
    ASSERT_TRUE(include_git_config(own, home));
    EXPECT_EQ(text_of(own + "/.gitconfig"), "[include]\n\tpath = \"" + home + "/.gitconfig\"\n");
    EXPECT_EQ(text_of(own + "/.config/git/config"), "[core]\n\texcludesFile = \"" + home +
                                                        "/.config/git/ignore\"\n[include]\n\tpath = \"" + home +
                                                        "/.config/git/config\"\n");
    std::ofstream(own + "/.gitconfig") << "[user]\n\tname = the server\n";
    ASSERT_TRUE(include_git_config(own, home));
    EXPECT_EQ(text_of(own + "/.gitconfig"), "[user]\n\tname = the server\n");
}

TEST_F(GitConfig, FollowsNoLinkThatAServerLaid) {
    box.put("/home/.gitconfig", "[user]\n");
    fs::create_directories(home + "/.config/git");
    box.put("/home/.config/git/config", "[core]\n");
    fs::create_symlink(box.base + "/elsewhere/victim", own + "/.gitconfig");
    fs::create_symlink(box.base + "/elsewhere", own + "/.config");
    ASSERT_TRUE(include_git_config(own, home));
    EXPECT_FALSE(fs::exists(box.base + "/elsewhere/victim"));
    EXPECT_FALSE(fs::exists(box.base + "/elsewhere/git"));
    fs::remove(own + "/.config");
    fs::create_directories(own + "/.config");
    fs::create_symlink(box.base + "/elsewhere", own + "/.config/git");
    ASSERT_TRUE(include_git_config(own, home));
    EXPECT_FALSE(fs::exists(box.base + "/elsewhere/config"));
}

TEST_F(GitConfig, IsTheUsersToReadTheServersToAddToAndNeverTheUsersToWrite) {
    if (!kernel().namespaces.available) GTEST_SKIP() << kernel().namespaces.why;
    if (!process::find_program({.program = "git", .env = process::default_environment()}))
        GTEST_SKIP() << "git is not installed";
    box.put("/home/.gitconfig", "[user]\n\tname = Ada\n");
    fs::create_directories(home + "/.config/git");
    box.put("/home/.config/git/credentials", "https://ada:password@example.org");
    box.server.command = "/bin/sh";
    const std::string script =
        "git config user.name; git config --global user.email own@example.org && git config "
        "user.email; echo x >> " +
        home + "/.gitconfig || echo refused; cat " + home + "/.config/git/credentials";
    EXPECT_EQ(box.say({"-c", script + " 2>&1"}), "Ada\nown@example.org\nrefused") << box.said;
    EXPECT_EQ(text_of(home + "/.gitconfig"), "[user]\n\tname = Ada\n");
    EXPECT_THAT(box.notes, IsEmpty());
}

}  // namespace
}  // namespace gantry::gateway::sandbox
