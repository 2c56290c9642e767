#include "base/schema/argument_error.hpp"

#include <gtest/gtest.h>

#include "base/schema/type_text.hpp"

namespace gantry::schema {
namespace {

constexpr const char* kTool = R"({"type":"object","additionalProperties":false,"required":["a","b"],"properties":{
    "a":{"type":"number","minimum":0},"b":{"type":"integer"},"topic":{"type":"string"},
    "tags":{"type":"array","items":{"type":"string"}},"color":{"enum":["red","blue"]},
    "deep":{"type":"object","properties":{"x/y":{"type":"boolean"}}}}})";

std::string refusal(const char* arguments) {
    const Json tool = Json::parse(kTool).value();
    const auto report = Schema::compile(tool)->validate(Json::parse(arguments).value());
    EXPECT_FALSE(report.valid()) << arguments;
    const Error error = argument_error(report, tool);
    EXPECT_EQ(error.code(), ErrorCode::kSchema);
    return error.message();
}

TEST(ArgumentError, NamesTheArgumentAndItsType) {
    EXPECT_EQ(refusal(R"({"a":1})"), "missing required argument 'b' (integer)");
    EXPECT_EQ(refusal(R"({})"), "missing required argument 'a' (number); missing required argument 'b' (integer)");
    EXPECT_EQ(refusal(R"({"a":"secret","b":1})"), "argument 'a' must be a number");
    EXPECT_EQ(refusal(R"({"a":1,"b":1,"tags":"x"})"), "argument 'tags' must be an array (string[])");
    EXPECT_EQ(refusal(R"({"a":-1,"b":1})"), "argument 'a' must be at least 0");
    EXPECT_EQ(refusal(R"({"a":1,"b":1,"tpic":"x"})"), "unknown argument 'tpic'; did you mean 'topic'?");
    EXPECT_EQ(refusal(R"({"a":1,"b":1,"tags":[1]})"), "argument 'tags/0' must be string");
    EXPECT_EQ(refusal(R"({"a":1,"b":1,"deep":{"x/y":1}})"), "argument 'deep/x/y' must be boolean");
}

std::string type_of(const char* schema) {
    const Json json = Json::parse(schema).value();
    return type_text(json, json);
}

TEST(TypeText, IsWhatPeopleWrite) {
    EXPECT_EQ(type_of(R"({"type":"number"})"), "number");
    EXPECT_EQ(type_of(R"({"type":["string","null"]})"), "string|null");
    EXPECT_EQ(type_of(R"({"type":"array","items":{"type":"integer"}})"), "integer[]");
    EXPECT_EQ(type_of(R"({"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"string"}]}})"),
              "(integer|string)[]");
    EXPECT_EQ(type_of(R"({"enum":["red",2]})"), R"("red"|2)");
    EXPECT_EQ(type_of(R"({"properties":{}})"), "object");
    EXPECT_EQ(type_of(R"({})"), "any");
    EXPECT_EQ(type_of(R"({"$ref":"#"})"), "any") << "a reference to itself ends";
    EXPECT_EQ(type_of(R"({"enum":[1,2,3,4,5,6,7,8]})"), "1|2|3|4|5|6|…");
    EXPECT_LT(type_of(("{\"const\":\"" + std::string(1000, 'x') + "\"}").c_str()).size(), 60u);
}

}  // namespace
}  // namespace gantry::schema
