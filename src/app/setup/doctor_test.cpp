#include "app/setup/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::app {
namespace {

using testing::HasSubstr;

TEST(Advice, SaysWhatToDo) {
    gateway::McpServerSpec child{.name = "c", .command = "no-such-program-anywhere"};
    EXPECT_THAT(advice_for(child, "cannot run"), HasSubstr("is not on PATH: install it"));
    child.command = "/no/such/program";
    EXPECT_THAT(advice_for(child, "cannot run"), HasSubstr("/no/such/program does not exist"));
    child.command = "sh";
    EXPECT_THAT(advice_for(child, "the server ended (exit code 1)"), HasSubstr("it ends by itself"));
    EXPECT_THAT(advice_for(child, "isolation: strict needs Landlock"), HasSubstr("set isolation: standard"));
    EXPECT_THAT(advice_for(child, "cannot run 'sh': gone (in its isolation, …)"), HasSubstr("isolation.read"));
    child.cwd = "/no/such/folder";
    EXPECT_THAT(advice_for(child, "cannot run"), HasSubstr("correct cwd"));
    EXPECT_EQ(advice_for(child, "not set: A, keyring:B, env:C, file:d"),
              "gantry secrets set A; gantry secrets set B; put C=… into .env or the environment; make the file d");

    gateway::McpServerSpec remote{.name = "r"};
    remote.url = "http://h/";
    EXPECT_THAT(advice_for(remote, "Connection refused"), HasSubstr("nothing listens there"));
    EXPECT_THAT(advice_for(remote, "HTTP 401"), HasSubstr("it requires credentials"));
    EXPECT_THAT(advice_for(remote, "HTTP 404"), HasSubstr("no MCP server at this path"));
    EXPECT_THAT(advice_for(remote, "something new"), HasSubstr("gantry inspect"));
}

}  // namespace
}  // namespace gantry::app
