#include "base/schema/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::schema {
namespace {

using testing::HasSubstr;

bool found(std::string_view pattern, std::string_view text) {
    const auto compiled = Pattern::compile(pattern);
    EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().to_string();
    return compiled && compiled->found_in(text);
}

TEST(Pattern, IsFoundAnywhereUnlessAnchored) {
    EXPECT_TRUE(found("b+", "abc"));
    EXPECT_FALSE(found("^b+$", "abc"));
    EXPECT_FALSE(found("^abc$", "abc\n"));
}

TEST(Pattern, KeepsAsciiMeaningOfClasses) {
    EXPECT_FALSE(found("^\\w$", "é"));
    EXPECT_TRUE(found("^\\W$", "é"));
    EXPECT_FALSE(found("^\\d$", "߀"));
    EXPECT_TRUE(found("^[\\w.-]+$", "a.b-c"));
    EXPECT_TRUE(found("^[\\w-z]+$", "-z"));
    EXPECT_FALSE(found("^[^\\s]+$",
                       "a\xC2\xA0"
                       "b"));
    EXPECT_TRUE(found("^[\\S ]+$", "a b"));
}

TEST(Pattern, ReadsEscapesOfEcma) {
    EXPECT_TRUE(found("^\\cA\\x41\\u0042\\u{43}\\/\\.\\0$", std::string_view("\x01"
                                                                             "ABC/.\0",
                                                                             7)));
    EXPECT_TRUE(found("^\\uD83D\\uDE00$", "😀"));
    EXPECT_TRUE(found("^[\\b]$", "\b"));
    EXPECT_TRUE(found("^.$", "😀"));
    EXPECT_FALSE(found("^.$", "\xE2\x80\xA8"));
    EXPECT_TRUE(found("^[^]$", "\n"));
    EXPECT_FALSE(found("[]", "anything"));
    EXPECT_TRUE(found("^[[:alpha:]]$", "a]"));
    EXPECT_TRUE(found("^a{,3}$", "a{,3}"));
    EXPECT_TRUE(found("^(?<year>[0-9]{4})$", "2026"));
    EXPECT_TRUE(found("^\\p{Script=Greek}\\p{Lu}\\p{Uppercase_Letter}$", "αAΩ"));
}

TEST(Pattern, CountsBeyondOneThousand) {
    EXPECT_TRUE(found("^[a-z]{1,2500}$", std::string(2500, 'x')));
    EXPECT_FALSE(found("^[a-z]{1,2500}$", std::string(2501, 'x')));
    EXPECT_TRUE(found("^a{1500,}$", std::string(1500, 'a')));
    EXPECT_FALSE(found("^a{1500,}$", std::string(1499, 'a')));
    EXPECT_TRUE(found("^a{1000,1001}$", std::string(1001, 'a')));
    EXPECT_FALSE(found("^a{1000,1001}$", std::string(1002, 'a')));
    EXPECT_TRUE(found("^(ab){2000}$", [] {
        std::string text;
        for (int i = 0; i < 2000; ++i) text += "ab";
        return text;
    }()));
}

TEST(Pattern, SaysWhichConstructIsNotSupported) {
    const auto refusal = [](std::string_view pattern) {
        const auto compiled = Pattern::compile(pattern);
        EXPECT_FALSE(compiled) << pattern;
        if (compiled) return std::string("compiled");
        EXPECT_EQ(compiled.error().code(), ErrorCode::kUnsupported) << pattern;
        return compiled.error().message();
    };
    EXPECT_THAT(refusal("^(?!x)"), HasSubstr("look-around"));
    EXPECT_THAT(refusal("(?<=x)y"), HasSubstr("look-around"));
    EXPECT_THAT(refusal("(a)\\1"), HasSubstr("back-reference"));
    EXPECT_THAT(refusal("(?<n>a)\\k<n>"), HasSubstr("back-reference"));
}

TEST(Pattern, RefusesWhatIsNoExpression) {
    for (const char* bad : {"(", ")", "[", "a**", "*", "\\", "\\u12", "\\xg", "\\a", "\\Z", "(?q)", "{1}", "a{2,1}",
                            "[z-a]", "\\p{Nonsense}", "\\c1"}) {
        const auto compiled = Pattern::compile(bad);
        ASSERT_FALSE(compiled) << bad;
        EXPECT_EQ(compiled.error().code(), ErrorCode::kSchema) << bad;
    }
}

TEST(Pattern, RefusesWhatWouldGrowTooLarge) {
    EXPECT_FALSE(Pattern::compile("((a{1000}){1000}){1000}"));
    EXPECT_FALSE(Pattern::compile("a{1000000}"));
    EXPECT_FALSE(Pattern::compile(std::string(100'000, 'a')));
    EXPECT_FALSE(Pattern::compile("((((\\p{L}{20000}){20000}){20000}){20000})"));
}

}  // namespace
}  // namespace gantry::schema
