#include "gateway/secrets/expand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace gantry::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

Lookup known(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const Reference& reference) -> Result<std::optional<std::string>> {
        auto found = values.find(reference.text());
        if (found == values.end() && reference.place == Reference::Place::kEnv) found = values.find(reference.name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

TEST(Expand, ReplacesReferencesAndNothingElse) {
    const Lookup lookup = known({{"A", "1"},
                                 {"B_2", "two"},
                                 {"EMPTY", ""},
                                 {"SELF", "${A}"},
                                 {"keyring:a-b.c", "ring"},
                                 {"secrets:n", "kept"},
                                 {"file:/run/x y", "content"}});
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
        {"${keyring:a-b.c}", "ring"},
        {"${secrets:n}", "kept"},
        {"${input:n}", "kept"},
        {"${file:/run/x y}", "content"},
        {"${keyring:none:-instead}", "instead"},
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
    EXPECT_EQ(expand("${keyring:B} ${B}", known({})).error().message(), "not set: keyring:B, B");
    for (const std::string_view text :
         {"${", "${A", "${}", "${a b}", "${command:key}", "${1A}", "${keyring:a/b}", "${file:}", "${a-b}"}) {
        EXPECT_FALSE(expand(text, known({{"A", "1"}}))) << text;
    }
}

TEST(Expand, ReachesEverythingOfAServerThatMayHoldASecret) {
    McpServerSpec server{.name = "s"};
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
    EXPECT_EQ(missing.error().message(), "not set: HOST");

    const auto broken = expand(server, known({{"BIN", "/opt"}, {"KEY", "k"}, {"HOST", "s3cret host"}}));
    ASSERT_FALSE(broken) << "a URL is checked once it is complete";
    EXPECT_THAT(broken.error().message(), Not(HasSubstr("s3cret")));
}

TEST(Expand, ReadsTheEnvironment) {
    ASSERT_EQ(::setenv("GANTRY_EXPAND_TEST", "here", 1), 0);
    EXPECT_EQ(expand("${GANTRY_EXPAND_TEST}", environment()).value_or(""), "here");
    EXPECT_FALSE(expand("${keyring:GANTRY_EXPAND_TEST}", environment()));
    ::unsetenv("GANTRY_EXPAND_TEST");
    EXPECT_FALSE(expand("${GANTRY_EXPAND_TEST}", environment()));
}

TEST(Expand, TellsWhyAPlaceCouldNotBeAsked) {
    const auto told = expand("${file:x} ${A}", [](const Reference&) -> Result<std::optional<std::string>> {
        return fail(ErrorCode::kDenied, "cannot be read");
    });
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().code(), ErrorCode::kDenied);
    EXPECT_EQ(told.error().message(), "file:x: cannot be read");
}

TEST(Expand, KnowsWhetherThereIsAnythingToDo) {
    McpServerSpec server{.name = "s"};
    server.args = {"a", "$HOME"};
    EXPECT_TRUE(has_open_reference("a ${B} ${NOPE"));
    EXPECT_FALSE(has_open_reference("a ${B} $${ ${C:-}"));
    EXPECT_FALSE(has_references(server));
    server.headers = {{"A", "Bearer ${T}"}};
    EXPECT_TRUE(has_references(server));
}

}  // namespace
}  // namespace gantry::gateway
