#include <gtest/gtest.h>

#include "gantry/client.hpp"

namespace {

TEST(Tool, AMissingDescriptionReadsAsAnEmptyString) {
    const gantry::Tool tool("x", gantry::mcp::Tool{.name = "x"}, nullptr);
    EXPECT_EQ(tool.description(), "");
}

TEST(Tool, ShowsThePrefixedNameAndKeepsTheServersOwn) {
    const gantry::Tool tool("git_log", gantry::mcp::Tool{.name = "log", .description = "Shows the log"}, nullptr);
    EXPECT_EQ(tool.name(), "git_log");
    EXPECT_EQ(tool.definition().name, "log");
    EXPECT_EQ(tool.description(), "Shows the log");
}

}  // namespace
