#include "base/json/surrogates.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gantry/json.hpp"

namespace gantry::json {
namespace {

struct Case {
    std::string_view in;
    std::string_view out;
};

constexpr Case kCases[] = {
    {R"("\ud83d")", R"("\ufffd")"},
    {R"("\ude00")", R"("\ufffd")"},
    {R"("\ud83d\ude00")", R"("\ud83d\ude00")"},
    {R"("\ud83d\ud83d\ude00")", R"("\ufffd\ud83d\ude00")"},
    {R"("\ude00\ud83d")", R"("\ufffd\ufffd")"},
    {R"("\ud83d\n")", R"("\ufffd\n")"},
    {R"("\ud83d\\ude00")", R"("\ufffd\\ude00")"},
    {R"("\ud83d\u0041")", R"("\ufffd\u0041")"},
    {R"("\ud83dx")", R"("\ufffdx")"},
    {R"("\\ud83d")", R"("\\ud83d")"},
    {R"({"\uDBFF":["\udc00","é","\ud83d\ude00"]})", R"({"\ufffd":["\ufffd","é","\ud83d\ude00"]})"},
};

TEST(JsonSurrogates, ReplacesLoneOnesAndLeavesTheRest) {
    for (const auto& [in, out] : kCases) {
        std::string text(in);
        EXPECT_EQ(replace_lone_surrogates(text), in != out) << in;
        EXPECT_EQ(text, out);
        EXPECT_TRUE(Json::parse(text)) << text;
    }
}

TEST(JsonSurrogates, OnlyThatFaultIsRecognised) {
    EXPECT_TRUE(is_lone_surrogate(Json::parse(R"("\ud83d")").error()));
    EXPECT_FALSE(is_lone_surrogate(Json::parse(R"("\ud83")").error()));
    EXPECT_FALSE(is_lone_surrogate(Json::parse("[").error()));
}

TEST(JsonSurrogates, ReplacesInPiecesCutAnywhere) {
    for (const auto& [in, out] : kCases) {
        for (std::size_t first = 0; first <= in.size(); ++first) {
            for (std::size_t second = first; second <= in.size(); ++second) {
                IncrementalScanner scanner({}, IncrementalScanner::LoneSurrogates::kNote);
                SurrogateFilter filter;
                std::string passed;
                for (const auto piece : {in.substr(0, first), in.substr(first, second - first), in.substr(second)}) {
                    ASSERT_TRUE(scanner.feed(piece)) << in;
                    const std::string_view part = filter.pass(piece, scanner);
                    ASSERT_EQ(filter.offset(), passed.size());
                    passed += part;
                }
                EXPECT_TRUE(scanner.finish()) << in;
                EXPECT_EQ(passed, out) << first << ' ' << second;
            }
        }
    }
}

TEST(JsonSurrogates, PassesOtherTextsOnWithoutACopy) {
    const std::string text = R"({"a":"plain \n text","b":[1,2,3]})";
    IncrementalScanner scanner({}, IncrementalScanner::LoneSurrogates::kNote);
    SurrogateFilter filter;
    ASSERT_TRUE(scanner.feed(text));
    EXPECT_EQ(filter.pass(text, scanner).data(), text.data());
}

TEST(JsonSurrogates, AScannerRefusesThemUnlessToldOtherwise) {
    for (const auto& [in, out] : kCases) {
        IncrementalScanner scanner;
        const bool good = scanner.feed(in) && scanner.finish();
        EXPECT_EQ(good, in == out) << in;
        EXPECT_EQ(Json::parse(in).has_value(), in == out) << in;
    }
}

}  // namespace
}  // namespace gantry::json
