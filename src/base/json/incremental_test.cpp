#include "base/json/incremental.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/json/agreement.hpp"

namespace gantry::json {
namespace {

std::string told(std::string_view text, std::size_t split, const JsonLimits& limits = {}) {
    IncrementalScanner scanner(limits);
    if (auto fed = scanner.feed(text.substr(0, split)); !fed) return verdict(fed);
    if (auto fed = scanner.feed(text.substr(split)); !fed) return verdict(fed);
    return verdict(scanner.finish());
}

const std::string kMessages[] = {
    R"({"jsonrpc":"2.0","id":"a\u00e9\uD83D\uDE00b","method":"tools\/call","params":{"name":"x","n":[-0.5e+10,true,null]}})",
    R"( { "id" : 12.5e3 , "result" : { "content" : [ "ü€😀" , { } , [ ] ] , "isError" : false } } )",
    R"({"id":{"a":[1,{"b":2}]},"error":{"code":-32600,"message":"no"},"params":[1]})",
    R"([{"jsonrpc":"2.0"},1,"\b\f\n\r\t\"\\\/"])",
    R"({"a":1,"\u0061":2})",
    R"({"params":{"name":1,"n\u0061me":2}})",
    R"({"result":{"":1,"":2}})",
    R"({"x":"\uD800\u0041"})",
    R"({"x":"\uDC00"})",
    "{\"x\":\"\xE2\x82\x41\"}",
    "[1,01]",
    "\xEF\xBB\xBF{}",
    "\xEF\xBB",
    "\xEF",
    "-",
    "tru",
    "[truf]",
    "{\"a\"",
    "",
    "{} {}",
};

TEST(JsonIncremental, EverySplitGivesTheVerdictOfTheWhole) {
    for (const std::string& text : kMessages) {
        const std::string expected = verdict(Json::parse(text));
        for (std::size_t split = 0; split <= text.size(); ++split) {
            EXPECT_EQ(told(text, split), expected) << text << " split at " << split;
        }
    }
}

TEST(JsonIncremental, EveryTruncationAndEveryChangedByteAgreesWithTheOthers) {
    for (const std::string& text : kMessages) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const std::string prefix = text.substr(0, i);
            EXPECT_EQ(incremental_disagreement(prefix, i), "") << prefix;
            EXPECT_EQ(scan_disagreement(prefix), "") << prefix;
            for (const char c : {'"', '\\', '{', '}', ',', ':', '0', 'e', 'u', '\x80', '\n', '\0'}) {
                std::string changed = text;
                changed[i] = c;
                EXPECT_EQ(incremental_disagreement(changed, i), "") << changed;
                EXPECT_EQ(scan_disagreement(changed), "") << changed;
            }
        }
    }
}

TEST(JsonIncremental, ReportsPartsAsTheyPass) {
    IncrementalScanner scanner;
    ASSERT_TRUE(scanner.feed(R"({"jsonrpc":"2.0","id":4)"));
    EXPECT_EQ(scanner.envelope().kind, Json::Kind::kObject);
    ASSERT_TRUE(scanner.envelope().id.has_value());
    EXPECT_FALSE(scanner.envelope().id->extent.end.has_value());
    EXPECT_FALSE(scanner.envelope().result.has_value());
    ASSERT_TRUE(scanner.feed(R"(2 ,"result":{"id":7,"con)"));
    EXPECT_EQ(scanner.envelope().id->raw, "42");
    EXPECT_EQ(scanner.envelope().id->extent.begin, 22u);
    EXPECT_EQ(scanner.envelope().id->extent.end, 24u);
    EXPECT_EQ(scanner.envelope().result->begin, 35u);
    ASSERT_TRUE(scanner.feed(R"(tent":[]}})"));
    ASSERT_TRUE(scanner.finish());
    EXPECT_EQ(scanner.envelope().result->end, scanner.size() - 1);
    EXPECT_FALSE(scanner.envelope().method.has_value());
}

TEST(JsonIncremental, FindsAnEscapedSpellingOfAKey) {
    IncrementalScanner scanner;
    ASSERT_TRUE(scanner.feed(R"({"m\u0065thod":"ping","params2":1,"paramsparams":2})"));
    EXPECT_EQ(scanner.envelope().method->raw, "\"ping\"");
    EXPECT_FALSE(scanner.envelope().params.has_value());
}

TEST(JsonIncremental, AnIdTooLongToKeepIsSaidToBe) {
    IncrementalScanner scanner;
    ASSERT_TRUE(scanner.feed(R"({"id":")" + std::string(5000, 'x')));
    ASSERT_TRUE(scanner.feed("\"}"));
    ASSERT_TRUE(scanner.finish());
    EXPECT_TRUE(scanner.envelope().id->too_long);
    EXPECT_TRUE(scanner.envelope().id->raw.empty());
    EXPECT_EQ(scanner.envelope().id->extent.end, 6u + 5002u);
}

TEST(JsonIncremental, DuplicatesAreSeenInTheEnvelopeAndNotDeeper) {
    EXPECT_EQ(told(R"({"x":1,"y":2,"x":3})", 5), "duplicate object key at byte 13");
    EXPECT_EQ(told(R"({"params":{"a":1,"\u0061":2}})", 5), "duplicate object key at byte 17");
    EXPECT_EQ(told(R"({"result":{"a":{"a":1},"a":2}})", 5), "duplicate object key at byte 23");
    EXPECT_EQ(told(R"({"params":{"a":1},"result":{"a":1}})", 5), "accepted");
    EXPECT_EQ(told(R"({"params":{"arguments":{"a":1,"a":2}}})", 5), "accepted");
    EXPECT_EQ(told(R"([{"a":1,"a":2}])", 5), "accepted");
    EXPECT_EQ(told(R"({"params":[{"a":1,"a":2}]})", 5), "accepted");
}

TEST(JsonIncremental, EnvelopeMembersAreBounded) {
    std::string text = R"({"params":{"0":0)";
    for (std::size_t i = 1; i < KeyDigests::kMost; ++i) text += ",\"" + std::to_string(i) + "\":0";
    EXPECT_EQ(told(text + "}}", 7), "accepted");
    EXPECT_EQ(told(text + ",\"500\":0}}", 7), "duplicate object key at byte " + std::to_string(text.size() + 1));
    EXPECT_EQ(told(text + ",\"more\":0}}", 7),
              "too many members in the message envelope at byte " + std::to_string(text.size() + 1));
}

TEST(JsonIncremental, RefusesSizeAndDepthAsTheyArePassed) {
    EXPECT_EQ(told("[1,2]", 2, {.max_bytes = 4}), "JSON too large at byte 4");
    EXPECT_EQ(told("[1,2]", 2, {.max_bytes = 5}), "accepted");
    EXPECT_EQ(told("[[[]]]", 2, {.max_depth = 2}), "JSON nested too deeply at byte 2");
    IncrementalScanner scanner({.max_bytes = 4});
    EXPECT_FALSE(scanner.feed("[1,2]"));
    EXPECT_FALSE(scanner.feed("]"));
    EXPECT_EQ(verdict(scanner.finish()), "JSON too large at byte 4");
}

}  // namespace
}  // namespace gantry::json
