#include "gateway/secrets/env_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(EnvFile, ReadsWhatPeopleWrite) {
    const auto file = parse_env_file(
        "# comment\n\n"
        "PLAIN=value\n"
        "  SPACED = value with spaces  # comment\n"
        "export EXPORTED=yes\r\n"
        "SINGLE='as it $stands \\n'\n"
        "DOUBLE=\"two\\nlines \\\"quoted\\\"\" # comment\n"
        "MANY=\"first\nsecond\"\n"
        "HASH=a#b\n"
        "EMPTY=\n"
        "PLAIN=later wins\n"
        "LAST=no newline");
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(file->at("PLAIN"), "later wins");
    EXPECT_EQ(file->at("SPACED"), "value with spaces");
    EXPECT_EQ(file->at("EXPORTED"), "yes");
    EXPECT_EQ(file->at("SINGLE"), "as it $stands \\n");
    EXPECT_EQ(file->at("DOUBLE"), "two\nlines \"quoted\"");
    EXPECT_EQ(file->at("MANY"), "first\nsecond");
    EXPECT_EQ(file->at("HASH"), "a#b");
    EXPECT_EQ(file->at("EMPTY"), "");
    EXPECT_EQ(file->at("LAST"), "no newline");
    EXPECT_EQ(file->size(), 9u);
}

TEST(EnvFile, FaultsNameTheLineAndNoValue) {
    const struct {
        std::string_view text, says;
    } rows[] = {{"A=1\ns3cret\n", "line 2: expected NAME=VALUE"},
                {"\n\n=s3cret\n", "line 3: expected NAME=VALUE"},
                {"A='s3cret\nB=1\n", "line 1: a quote is not closed"},
                {"A='x' s3cret\n", "line 1: text after the closing quote"}};
    for (const auto& row : rows) {
        const auto file = parse_env_file(row.text);
        ASSERT_FALSE(file) << row.text;
        EXPECT_EQ(file.error().message(), row.says);
        EXPECT_THAT(file.error().message(), Not(HasSubstr("s3cret")));
    }
    EXPECT_FALSE(parse_env_file(std::string((1u << 20) + 1, '\n')));
}

}  // namespace
}  // namespace gantry::gateway
