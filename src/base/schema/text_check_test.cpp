#include <gtest/gtest.h>

#include "base/schema/schema.hpp"

namespace gantry::schema {
namespace {

Schema compiled(std::string_view text) {
    auto schema = Schema::compile(*Json::parse(text));
    EXPECT_TRUE(schema.has_value()) << (schema ? "" : schema.error().to_string());
    return *std::move(schema);
}

constexpr std::string_view kForecast = R"({
    "type": "object", "required": ["city"], "additionalProperties": false, "maxProperties": 6,
    "properties": {
        "city": {"type": "string", "minLength": 2, "maxLength": 40},
        "units": {"enum": ["metric", "imperial"]},
        "days": {"type": "integer", "minimum": 1, "exclusiveMaximum": 15},
        "share": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "near": {"type": "object", "properties": {"lat": {"type": ["number", "null"]}}},
        "exact": {"type": "boolean"}
    }})";

TEST(TextCheck, SeesWhatMostToolsAskFor) {
    const Schema schema = compiled(kForecast);
    for (const std::string_view text : {
             R"({"city":"Berlin"})",
             R"( { "city" : "Berlin" , "units" : "metric" , "days" : 3 } )",
             R"({"tags":["a","b"],"city":"Ulm","near":{"lat":null,"x":[{"y":"}]\""}]},"exact":true})",
             R"({"city":"Ulm","share":-1.5e3,"exact":false,"near":{}})",
             "{\"city\":\"\xc3\x96\xc3\x96\xc3\x96\xc3\x96\"}",
         }) {
        EXPECT_TRUE(schema.surely_fits(text)) << text;
        EXPECT_TRUE(schema.check_text(text)) << text;
    }
}

TEST(TextCheck, RefusesNothingByItselfAndNamesThePlaceTheOtherWay) {
    const Schema schema = compiled(kForecast);
    for (const std::string_view text : {
             R"({})",
             R"({"city":7})",
             R"({"city":"B"})",
             R"({"city":"Berlin","units":"kelvin"})",
             R"({"city":"Berlin","days":0})",
             R"({"city":"Berlin","days":15})",
             R"({"city":"Berlin","days":2.5})",
             R"({"city":"Berlin","tags":[]})",
             R"({"city":"Berlin","tags":["a",1]})",
             R"({"city":"Berlin","tags":["a","b","c","d"]})",
             R"({"city":"Berlin","near":{"lat":"x"}})",
             R"({"city":"Berlin","other":1})",
             R"([])",
             R"("city")",
         }) {
        EXPECT_FALSE(schema.surely_fits(text)) << text;
        const auto checked = schema.check_text(text);
        ASSERT_FALSE(checked) << text;
        EXPECT_EQ(checked.error().code(), ErrorCode::kSchema);
    }
}

TEST(TextCheck, LeavesTheRestToTheOtherWay) {
    const Schema schema = compiled(kForecast);
    // It satisfies the schema, but checking that requires decoding escapes or decimals.
    for (const std::string_view text : {R"({"c\u0069ty":"Berlin"})", R"({"city":"Berl\u0069n"})",
                                        R"({"city":"Ulm","days":3.0})", "{\"city\":\"\xc3\x96l\"}"}) {
        EXPECT_TRUE(schema.check_text(text)) << text;
    }
    EXPECT_FALSE(compiled(R"({"anyOf":[{"type":"string"}]})").surely_fits("\"x\""));
    EXPECT_FALSE(compiled(R"({"pattern":"^x"})").surely_fits("\"x\""));
    EXPECT_FALSE(compiled("false").surely_fits("1"));
    EXPECT_TRUE(compiled("true").surely_fits("1"));
    EXPECT_TRUE(compiled("{}").surely_fits("{}"));
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    EXPECT_FALSE(compiled(R"({"items":{"$ref":"#"}})").surely_fits(deep));
}

}  // namespace
}  // namespace gantry::schema
