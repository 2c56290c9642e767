#include "gantry/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gantry {
namespace {

Json parsed(std::string_view text) {
    auto json = Json::parse(text);
    EXPECT_TRUE(json.has_value()) << text;
    return json ? *json : Json();
}

TEST(JsonValue, BuildsAndDumpsInOrder) {
    Json json = JsonObject{{"name", "x"}, {"n", 3}, {"list", JsonArray{1, 2}}, {"no", nullptr}, {"yes", true}};
    EXPECT_EQ(json.dump(), R"({"name":"x","n":3,"list":[1,2],"no":null,"yes":true})");
}

TEST(JsonValue, InitializerKeepsEachKeyOnce) {
    EXPECT_EQ(Json(JsonObject{{"a", 1}, {"b", 2}, {"a", 3}}).dump(), R"({"a":3,"b":2})");
}

TEST(JsonValue, DoubleIsShortestTextAndNonFiniteIsNull) {
    EXPECT_EQ(Json(0.1).dump(), "0.1");
    EXPECT_EQ(Json(1.0).dump(), "1");
    EXPECT_EQ(parsed(Json(1e300).dump()).as_double(), 1e300);
    EXPECT_TRUE(Json(std::nan("")).is_null());
    EXPECT_TRUE(Json(-std::numeric_limits<double>::infinity()).is_null());
}

TEST(JsonValue, EscapesOnlyWhatMustBe) {
    const std::string text = std::string("\"\\/\b\f\n\r\t\x01\x1f\x7f", 11) + "\xE2\x80\xA8\xE2\x80\xA9 ü";
    EXPECT_EQ(Json(text).dump(), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xE2\x80\xA8\xE2\x80\xA9 ü\"");
    EXPECT_EQ(Json(std::string("a\0b", 3)).dump(), "\"a\\u0000b\"");
}

TEST(JsonValue, DumpIsJsonEvenWhenTheStringIsNotUtf8) {
    EXPECT_EQ(Json("a\xFF\xC3").dump(), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
    EXPECT_TRUE(Json::parse(Json("\xED\xA0\x80").dump()).has_value());
}

TEST(JsonValue, PrettyIndentsByTwo) {
    EXPECT_EQ(parsed(R"({"a":[1,{"b":[]}],"c":{}})").pretty(),
              "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}");
    EXPECT_EQ(Json().pretty(), "null");
}

TEST(JsonValue, NumbersCompareByValueWithoutLoss) {
    auto equal = [](std::string_view a, std::string_view b) { return parsed(a) == parsed(b); };
    EXPECT_TRUE(equal("1", "1.0"));
    EXPECT_TRUE(equal("1e2", "100"));
    EXPECT_TRUE(equal("100.00e-2", "1"));
    EXPECT_TRUE(equal("0.0012", "12E-4"));
    EXPECT_TRUE(equal("-0", "0.0e5"));
    EXPECT_TRUE(equal("12.5", "1.25e+1"));
    EXPECT_FALSE(equal("1", "-1"));
    EXPECT_FALSE(equal("9007199254740993", "9007199254740992"));
    EXPECT_FALSE(equal("123456789012345678901234567890", "123456789012345678901234567891"));
    EXPECT_FALSE(equal("0.1", "0.10000000000000000001"));
    EXPECT_FALSE(equal("1e400", "1e401"));
    EXPECT_FALSE(equal("1e-400", "0"));
}

TEST(JsonValue, ExponentsBeyondAnyIntegerStillCompareExactly) {
    auto equal = [](std::string_view a, std::string_view b) { return parsed(a) == parsed(b); };
    EXPECT_TRUE(equal("10e999999999999999999", "1e1000000000000000000"));
    EXPECT_TRUE(equal("0.1e100000000000000000000", "1e99999999999999999999"));
    EXPECT_TRUE(equal("10e-100000000000000000000", "1e-99999999999999999999"));
    EXPECT_FALSE(equal("1e100000000000000000000", "1e100000000000000000001"));
    EXPECT_FALSE(equal("1e100000000000000000000", "1e-100000000000000000000"));
    EXPECT_TRUE(equal("0e99999999999999999999999", "0"));
}

TEST(JsonValue, IntegersAreWhatJsonSchemaCounts) {
    for (auto text : {"0", "-0", "1.0", "1e2", "1.5e1", "0.0", "1e400", "1e99999999999999999999"}) {
        EXPECT_TRUE(parsed(text).is_integer()) << text;
    }
    for (auto text : {"1.5", "1e-1", "15e-2", "1e-99999999999999999999", "\"1\""}) {
        EXPECT_FALSE(parsed(text).is_integer()) << text;
    }
}

TEST(JsonValue, IntegerAccessRefusesLoss) {
    EXPECT_EQ(parsed("9223372036854775807").as_int(), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(parsed("-9223372036854775808").as_int(), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(parsed("9223372036854775808").as_int(), std::nullopt);
    EXPECT_EQ(parsed("-9223372036854775809").as_int(), std::nullopt);
    EXPECT_EQ(parsed("18446744073709551615").as_uint(), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(parsed("18446744073709551616").as_uint(), std::nullopt);
    EXPECT_EQ(parsed("-1").as_uint(), std::nullopt);
    EXPECT_EQ(parsed("-0").as_uint(), 0u);
    EXPECT_EQ(parsed("1.0").as_int(), 1);
    EXPECT_EQ(parsed("-12e2").as_int(), -1200);
    EXPECT_EQ(parsed("1.5").as_int(), std::nullopt);
    EXPECT_EQ(parsed("1e30").as_int(), std::nullopt);
    EXPECT_EQ(parsed("\"1\"").as_int(), std::nullopt);
}

TEST(JsonValue, DoubleAccessOverflowsToInfinityAndUnderflowsToZero) {
    EXPECT_EQ(parsed("2.5").as_double(), 2.5);
    EXPECT_EQ(parsed("1e400").as_double(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(parsed("-1e400").as_double(), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(parsed("1e-400").as_double(), 0.0);
    EXPECT_EQ(parsed("1e99999999999999999999").as_double(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(parsed("null").as_double(), std::nullopt);
}

TEST(JsonValue, PointersFollowRfc6901) {
    const Json json = parsed(R"({"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"01":{"x":2}})");
    EXPECT_EQ(json.at_pointer(""), &json);
    EXPECT_EQ(*json.at_pointer("/foo/1"), Json("baz"));
    EXPECT_EQ(*json.at_pointer("/"), Json(0));
    EXPECT_EQ(*json.at_pointer("/a~1b"), Json(1));
    EXPECT_EQ(*json.at_pointer("/m~0n"), Json(8));
    EXPECT_EQ(*json.at_pointer("/01/x"), Json(2));
    for (auto nowhere : {"foo", "/foo/01", "/foo/-", "/foo/2", "/foo/", "/m~2n", "/m~", "/foo/0/x", "/foo/1x"}) {
        EXPECT_EQ(json.at_pointer(nowhere), nullptr) << nowhere;
    }
}

TEST(JsonValue, LookupsOnOtherKindsAreEmpty) {
    const Json json = parsed(R"({"s":"text","n":1})");
    EXPECT_EQ(json.string_at("s"), "text");
    EXPECT_EQ(json.string_at("n", "fallback"), "fallback");
    EXPECT_EQ(json.string_at("absent", "fallback"), "fallback");
    EXPECT_EQ(json.at(0), nullptr);
    EXPECT_EQ(Json(1).find("s"), nullptr);
    EXPECT_TRUE(Json("1").number_text().empty());
}

TEST(JsonObjectMembers, StayFindableThroughGrowthCopyMoveAndErase) {
    JsonObject object;
    for (int i = 0; i < 500; ++i) object.set("key" + std::to_string(i), i);
    JsonObject copy = object;
    JsonObject moved = std::move(object);
    copy.set("key7", "changed");
    EXPECT_TRUE(copy.erase("key3"));
    EXPECT_FALSE(copy.erase("key3"));
    EXPECT_EQ(copy.size(), 499u);
    for (int i = 0; i < 500; ++i) {
        const std::string key = "key" + std::to_string(i);
        ASSERT_NE(moved.find(key), nullptr);
        EXPECT_EQ(*moved.find(key), Json(i));
        EXPECT_EQ(copy.contains(key), i != 3);
    }
    EXPECT_EQ(*copy.find("key7"), Json("changed"));
    while (copy.size() > 1) copy.erase(copy.begin()->first);
    EXPECT_TRUE(copy.contains("key499"));
    copy = moved;
    EXPECT_EQ(copy, moved);
}

TEST(JsonObjectMembers, AMovedFromObjectIsUsable) {
    JsonObject object;
    for (int i = 0; i < 40; ++i) object.set(std::to_string(i), i);
    const JsonObject taken = std::move(object);
    object = JsonObject();
    EXPECT_FALSE(object.contains("1"));
    object.set("1", 2);
    EXPECT_EQ(*object.find("1"), Json(2));
    EXPECT_EQ(taken.size(), 40u);
}

TEST(JsonObjectMembers, OrderDoesNotMatterForEquality) {
    EXPECT_EQ(parsed(R"({"a":1,"b":[1,2]})"), parsed(R"({"b":[1.0,2e0],"a":1})"));
    EXPECT_NE(parsed(R"({"a":1})"), parsed(R"({"a":1,"b":2})"));
    EXPECT_NE(parsed(R"({"a":1})"), parsed(R"({"b":1})"));
    EXPECT_NE(parsed("[1,2]"), parsed("[2,1]"));
    EXPECT_NE(parsed("0"), parsed("false"));
    EXPECT_NE(parsed("null"), parsed("false"));
}

}  // namespace
}  // namespace gantry
