#include <gtest/gtest.h>

#include <string>

#include "gantry/json.hpp"

namespace gantry {
namespace {

std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
    auto json = Json::parse(text, limits);
    return json ? "accepted: " + json->dump() : json.error().message();
}

TEST(JsonParse, KeepsOrderNumbersAndTextByteForByte) {
    for (std::string_view text : {
             R"({"z":1,"a":2,"m":{"y":[],"b":{}}})",
             R"([1.0,1e2,1E+2,-0,0.10,123456789012345678901234567890,9007199254740993,1e-400])",
             R"(["\"\\\b\f\n\r\t\u0001 / ü 😀"])",
             R"({"":null,"true":true,"false":false})",
         }) {
        auto json = Json::parse(text);
        ASSERT_TRUE(json.has_value()) << text;
        EXPECT_EQ(json->dump(), text);
    }
}

TEST(JsonParse, DecodesEveryEscape) {
    auto json = Json::parse(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD83D\uDE00\u0000")");
    ASSERT_TRUE(json.has_value());
    EXPECT_EQ(*json->if_string(), std::string("\"\\/\b\f\n\r\tAé€😀", 18) + std::string(1, 0));
}

TEST(JsonParse, RefusesDuplicateKeyWithPosition) {
    EXPECT_EQ(refusal(R"({"a":1,"b":2,"a":3})"), "duplicate object key at byte 13");
    EXPECT_EQ(refusal(R"({"a":1,"\u0061":2})"), "duplicate object key at byte 7");
    EXPECT_EQ(refusal(R"({"\u0061":1,"a":2})"), "duplicate object key at byte 12");
    EXPECT_EQ(refusal(R"([{"x":{"longer key":1,"longer key":1}}])"), "duplicate object key at byte 22");
    EXPECT_EQ(refusal(R"({"":1,"":1})"), "duplicate object key at byte 6");
    EXPECT_EQ(refusal(R"([{"a":1},{"a":{"a":{"a":1}}}])").substr(0, 8), "accepted");
}

TEST(JsonParse, FindsDuplicatesInHugeObjectsAndAroundNestedOnes) {
    std::string text = "{";
    for (int i = 0; i < 20000; ++i) {
        text += '"' + std::to_string(i) + R"(":{"n":1,"\u0061":{}},)";
    }
    auto accepted = Json::parse(text + R"("end":0})");
    ASSERT_TRUE(accepted.has_value());
    EXPECT_NE(accepted->find("19999"), nullptr);
    EXPECT_EQ(refusal(text + R"("777":0})"), "duplicate object key at byte " + std::to_string(text.size()));
    EXPECT_EQ(refusal(text + R"("\u00377":0})"), "duplicate object key at byte " + std::to_string(text.size()));
}

TEST(JsonParse, FindsDuplicatesInSmallObjectsInsideLargeOnes) {
    std::string text = "{";
    for (int i = 0; i < 60; ++i) text += '"' + std::to_string(i) + "\":0,";
    EXPECT_EQ(refusal(text + R"("x":{"a":1,"\u0061b":2,"ab":3}})"),
              "duplicate object key at byte " + std::to_string(text.size() + 23));
    EXPECT_EQ(refusal(text + R"("x":{"a":1,"ab":{"a":1}},"y":{"ab":1}})").substr(0, 8), "accepted");
}

TEST(JsonParse, TellsSimilarKeysApart) {
    std::string text = "{";
    for (std::size_t size = 0; size < 40; ++size) {
        if (size != 0) text += ',';
        text += '"' + std::string(size, 'a') + "\":0";
    }
    EXPECT_EQ(refusal(text + "}").substr(0, 8), "accepted");
    EXPECT_EQ(refusal(R"({"aaaaaaaaXaaaaaaaa":1,"aaaaaaaaYaaaaaaaa":2,"abc":1,"abd":1,"abcd":1})").substr(0, 8),
              "accepted");
}

TEST(JsonParse, RefusesSurrogatesThatStandAlone) {
    for (std::string_view text : {R"("\uD800")", R"("\uDC00")", R"("\uD800x")", R"("\uD800\n")", R"("\uD800\u0041")",
                                  R"("\uD800\uD800")", R"({"\uDFFF":1})"}) {
        EXPECT_NE(refusal(text).find("lone surrogate in a string at byte "), std::string::npos) << text;
    }
    EXPECT_EQ(refusal(R"("ab\uDC00")"), "lone surrogate in a string at byte 3");
}

TEST(JsonParse, RefusesInvalidUtf8WithPosition) {
    for (std::string_view text :
         {"\"\x80\"", "\"\xC0\xAF\"", "\"\xC1\xBF\"", "\"\xE0\x80\xAF\"", "\"\xED\xA0\x80\"", "\"\xF0\x80\x80\x80\"",
          "\"\xF4\x90\x80\x80\"", "\"\xF5\x80\x80\x80\"", "\"\xFE\"", "\"\xE2\x82\"", "\"\xC3\""}) {
        EXPECT_EQ(refusal(text), "invalid UTF-8 in a string at byte 1");
    }
    EXPECT_EQ(refusal("\"\xC3\xA9\xF4\x8F\xBF\xBF ok\"").substr(0, 8), "accepted");
}

TEST(JsonParse, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(refusal(""), "unexpected end of JSON at byte 0");
    EXPECT_EQ(refusal("  "), "unexpected end of JSON at byte 2");
    EXPECT_EQ(refusal("{} x"), "data after the JSON value at byte 3");
    EXPECT_EQ(refusal("\xEF\xBB\xBF{}"), "byte order mark before the JSON value at byte 0");
    EXPECT_EQ(refusal("[1,]"), "expected a JSON value at byte 3");
    EXPECT_EQ(refusal("[1 2]"), "expected ',' or the end of the object or array at byte 3");
    EXPECT_EQ(refusal("{\"a\" 1}"), "expected ':' after an object key at byte 5");
    EXPECT_EQ(refusal("{\"a\":1,}"), "expected an object key at byte 7");
    EXPECT_EQ(refusal("{a:1}"), "expected an object key at byte 1");
    EXPECT_EQ(refusal("[tru]"), "misspelt literal at byte 4");
    EXPECT_EQ(refusal("[01]"), "expected ',' or the end of the object or array at byte 2");
    EXPECT_EQ(refusal("[1.]"), "expected a digit at byte 3");
    EXPECT_EQ(refusal("[-]"), "expected a digit at byte 2");
    EXPECT_EQ(refusal("[1e+]"), "expected a digit at byte 4");
    EXPECT_EQ(refusal("\"a\nb\""), "unescaped control character in a string at byte 2");
    EXPECT_EQ(refusal("\"\\x\""), "invalid escape in a string at byte 2");
    EXPECT_EQ(refusal("\"\\u12G4\""), "invalid escape in a string at byte 5");
    EXPECT_EQ(refusal("\"abc"), "unexpected end of JSON at byte 4");
    EXPECT_EQ(refusal(std::string_view("[1]\0", 4)), "data after the JSON value at byte 3");
}

TEST(JsonParse, LimitsAreNotWorthARetry) {
    auto deep = Json::parse("[[[]]]", {.max_depth = 2});
    ASSERT_FALSE(deep.has_value());
    EXPECT_EQ(deep.error().code(), ErrorCode::kLimit);
    EXPECT_EQ(deep.error().message(), "JSON nested too deeply at byte 2");
    EXPECT_FALSE(deep.error().retryable());
    EXPECT_TRUE(Json::parse("[[[]]]", {.max_depth = 3}).has_value());
    auto large = Json::parse("[1,2]", {.max_bytes = 4});
    ASSERT_FALSE(large.has_value());
    EXPECT_EQ(large.error().message(), "JSON too large at byte 4");
    EXPECT_EQ(refusal("1", {.max_depth = 0}), "accepted: 1");
}

TEST(JsonParse, TreesAtTheDepthCeilingCanBeCopiedComparedDumpedAndDestroyed) {
    std::string text;
    for (int i = 0; i < 512; ++i) text += R"([{"k":)";
    text += "1";
    for (int i = 0; i < 512; ++i) text += "}]";
    const JsonLimits limits{.max_depth = 1u << 20};
    auto json = Json::parse(text, limits);
    ASSERT_TRUE(json.has_value());
    const Json copy = *json;
    EXPECT_EQ(copy, *json);
    EXPECT_EQ(copy.dump(), text);
    EXPECT_EQ(refusal("[" + text + "]", limits), "JSON nested too deeply at byte " + std::to_string(512 * 6 + 1 - 5));
}

}  // namespace
}  // namespace gantry
