#include "base/nearest.hpp"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(Nearest, FindsTypingMistakesAndNothingElse) {
    const std::set<std::string_view> known = {"servers", "listen", "timeout"};
    EXPECT_EQ(nearest("server", known), "servers");
    EXPECT_EQ(nearest("TIME_OUT", known), "timeout");
    EXPECT_EQ(nearest("lisetn", known), "listen");
    EXPECT_EQ(nearest("completely", known), "");
    EXPECT_EQ(nearest(std::string(65, 't'), known), "");
}

TEST(Nearest, FindsANameBehindItsPrefix) {
    const std::set<std::string_view> known = {"remote_echo", "other_remote_echo", "add"};
    EXPECT_EQ(nearest_name("echo", known), "remote_echo") << "the shortest";
    EXPECT_EQ(nearest_name("ad", known), "add");
    EXPECT_EQ(nearest_name("o", known), "") << "too short to mean anything";
    EXPECT_EQ(nearest_name("nothing_like_it", known), "");
}

TEST(Nearest, MakesTheEndOfAMessage) {
    EXPECT_EQ(did_you_mean("add"), "; did you mean 'add'?");
    EXPECT_EQ(did_you_mean(""), "");
}

}  // namespace
}  // namespace gantry
