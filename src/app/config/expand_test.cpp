#include "app/config/expand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace gantry::app {
namespace {

using testing::HasSubstr;
using testing::Not;

Lookup known(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

TEST(Expand, ReplacesReferencesAndNothingElse) {
    const Lookup lookup = known({{"A", "1"}, {"B_2", "two"}, {"EMPTY", ""}, {"SELF", "${A}"}});
    const struct {
        std::string_view text, expected;
    } rows[] = {
        {"", ""},
        {"plain $A {A} $", "plain $A {A} $"},
        {"${A}", "1"},
        {"x${A}y${B_2}z", "x1ytwoz"},
        {"${env:A}", "1"},
        {"${MISSING:-instead}", "instead"},
        {"${A:-instead}", "1"},
        {"${EMPTY:-instead}", "instead"},
        {"<${EMPTY}>", "<>"},
        {"<${MISSING:-}>", "<>"},
        {"$${A}", "${A}"},
        {"${SELF}", "${A}"},
    };
    for (const auto& row : rows) {
        const auto expanded = expand(row.text, lookup);
        ASSERT_TRUE(expanded) << row.text;
        EXPECT_EQ(*expanded, row.expected);
    }
}

TEST(Expand, NamesAllThatIsMissingAndNoValue) {
    const auto expanded = expand("${A} ${B} ${C} ${B}", known({{"A", "s3cret"}}));
    ASSERT_FALSE(expanded);
    EXPECT_EQ(expanded.error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(expanded.error().message(), "not set: B, C");
    for (const std::string_view text : {"${", "${A", "${}", "${a b}", "${input:key}", "${1A}"}) {
        EXPECT_FALSE(expand(text, known({{"A", "1"}}))) << text;
    }
}

TEST(Expand, ReachesEverythingOfAServerThatMayHoldASecret) {
    gateway::McpServerSpec server{.name = "s"};
    server.command = "${BIN}/tool";
    server.args = {"--key", "${KEY}"};
    server.env = {{"TOKEN", "${KEY}"}};
    server.cwd = "${BIN}";
    server.headers = {{"Authorization", "Bearer ${KEY}"}};
    server.url = "https://${HOST}/mcp";
    const auto expanded = expand(server, known({{"BIN", "/opt"}, {"KEY", "k"}, {"HOST", "example.com"}}));
    ASSERT_TRUE(expanded);
    EXPECT_EQ(expanded->command, "/opt/tool");
    EXPECT_EQ(expanded->args[1], "k");
    EXPECT_EQ(expanded->env.at("TOKEN"), "k");
    EXPECT_EQ(expanded->cwd, "/opt");
    EXPECT_EQ(expanded->headers[0].second, "Bearer k");
    EXPECT_EQ(expanded->url, "https://example.com/mcp");

    const auto missing = expand(server, known({{"BIN", "/opt"}, {"KEY", "s3cret"}}));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message(), "server 's': not set: HOST");

    const auto broken = expand(server, known({{"BIN", "/opt"}, {"KEY", "k"}, {"HOST", "s3cret host"}}));
    ASSERT_FALSE(broken) << "a URL is checked once it is complete";
    EXPECT_THAT(broken.error().message(), Not(HasSubstr("s3cret")));
}

TEST(Expand, ReadsTheEnvironmentUnlessToldOtherwise) {
    ASSERT_EQ(::setenv("GANTRY_EXPAND_TEST", "here", 1), 0);
    EXPECT_EQ(expand("${GANTRY_EXPAND_TEST}").value_or(""), "here");
    ::unsetenv("GANTRY_EXPAND_TEST");
    EXPECT_FALSE(expand("${GANTRY_EXPAND_TEST}"));
}

}  // namespace
}  // namespace gantry::app
