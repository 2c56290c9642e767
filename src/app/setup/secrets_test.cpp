#include "app/setup/secrets.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace gantry::app {
namespace {

TEST(SecretsCommand, TakesAllOfAPipeButTheNewlineAtItsEnd) {
    const struct {
        std::string_view given, kept;
    } rows[] = {{"abc", "abc"}, {"abc\n", "abc"}, {"abc\r\n", "abc"}, {"two\nlines\n", "two\nlines"}, {" a ", " a "}};
    for (const auto& row : rows) {
        std::istringstream in{std::string(row.given)};
        EXPECT_EQ(read_secret(in).value_or("refused"), row.kept);
    }
    for (const std::string& bad :
         {std::string(), std::string("\n"), std::string(70'000, 'x'), std::string("a\0b", 3)}) {
        std::istringstream in(bad);
        EXPECT_FALSE(read_secret(in));
    }
}

TEST(SecretsCommand, ShowsNothingOfASecretUnlessAsked) {
    EXPECT_EQ(mask_of("abcdef"), "*** (6 characters; --show prints it)");
}

}  // namespace
}  // namespace gantry::app
