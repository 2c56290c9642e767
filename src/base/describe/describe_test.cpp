#include "gantry/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/schema/schema.hpp"

namespace shop {

enum class Unit { kCelsius, kKelvin, kOther };
GANTRY_DESCRIBE_ENUM(Unit, (kCelsius, "celsius"), (kKelvin, "kelvin"), kOther)

struct AddArgs {
    double a = 0;
    double b = 0;
    std::optional<std::string> note;

    bool operator==(const AddArgs&) const = default;
};
GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand, with a comma"), (note))

struct Empty {};
GANTRY_DESCRIBE(Empty)

struct Everything {
    bool flag = false;
    std::int32_t number = 0;
    std::int64_t large = 0;
    std::uint8_t small = 0;
    std::uint64_t count = 0;
    float ratio = 0;
    std::string text;
    Unit unit = Unit::kCelsius;
    std::vector<AddArgs> sums;
    std::vector<bool> bits;
    std::vector<std::optional<int>> holes;
    std::map<std::string, std::vector<int>> table;
    AddArgs inner;
    std::optional<AddArgs> maybe;
    gantry::Json any;
    gantry::JsonObject object;
};
GANTRY_DESCRIBE(Everything, flag, number, large, small, count, ratio, text, unit, sums, bits, holes, table, inner,
                (maybe, "left out when empty"), any, object)

struct Tree {
    std::string name;
    std::vector<Tree> children;
};
GANTRY_DESCRIBE(Tree, name, children)

struct Forest {
    Tree first;
    Tree second;
};
GANTRY_DESCRIBE(Forest, (first, "the older one"), second)

}  // namespace shop

namespace gantry {
namespace {

using testing::HasSubstr;
using testing::Not;

Json parsed(std::string_view text) {
    auto json = Json::parse(text);
    EXPECT_TRUE(json) << text;
    return json ? *json : Json();
}

template <class T>
std::string refusal(std::string_view text) {
    const auto value = from_json<T>(parsed(text));
    EXPECT_FALSE(value) << text;
    if (value) return "accepted";
    EXPECT_EQ(value.error().code(), ErrorCode::kSchema);
    return value.error().message();
}

template <class T>
schema::Schema compiled() {
    auto schema = schema::Schema::compile(schema_of<T>());
    EXPECT_TRUE(schema) << schema.error().to_string();
    return *schema;
}

shop::Everything sample() {
    shop::Everything value;
    value.flag = true;
    value.number = -7;
    value.large = std::numeric_limits<std::int64_t>::min();
    value.small = 255;
    value.count = std::numeric_limits<std::uint64_t>::max();
    value.ratio = 0.25f;
    value.text = "täxt";
    value.unit = shop::Unit::kOther;
    value.sums = {{1, 2, "n"}, {3, 4, std::nullopt}};
    value.bits = {true, false};
    value.holes = {1, std::nullopt};
    value.table = {{"x", {1, 2}}, {"y", {}}};
    value.inner = {0.5, -0.5, std::nullopt};
    value.maybe = shop::AddArgs{1, 1, "m"};
    value.any = parsed(R"({"k":[1.50,null]})");
    value.object = JsonObject{{"z", 1}, {"a", 2}};
    return value;
}

TEST(DescribedStruct, GivesASchemaWithDescriptionsOrderAndRequired) {
    EXPECT_EQ(schema_of<shop::AddArgs>().dump(),
              R"({"type":"object","properties":{"a":{"type":"number","description":"first summand"},)"
              R"("b":{"type":"number","description":"second summand, with a comma"},"note":{"type":"string"}},)"
              R"("required":["a","b"],"additionalProperties":false})");
}

TEST(DescribedStruct, WithoutMembersAcceptsOnlyTheEmptyObject) {
    EXPECT_EQ(schema_of<shop::Empty>().dump(), R"({"type":"object","properties":{},"additionalProperties":false})");
    EXPECT_TRUE(from_json<shop::Empty>(parsed("{}")));
    EXPECT_EQ(refusal<shop::Empty>(R"({"x":1})"), "/x: is not a known property");
}

TEST(DescribedStruct, ReadsWhatItWrote) {
    const auto written = to_json(sample());
    const auto again = from_json<shop::Everything>(written);
    ASSERT_TRUE(again) << again.error().to_string();
    EXPECT_EQ(to_json(*again).dump(), written.dump());
    EXPECT_EQ(again->sums, sample().sums);
    EXPECT_EQ(again->unit, shop::Unit::kOther);
    EXPECT_EQ(again->count, std::numeric_limits<std::uint64_t>::max());
}

TEST(DescribedStruct, LeavesEmptyOptionalMembersOut) {
    EXPECT_EQ(to_json(shop::AddArgs{1, 2, std::nullopt}).dump(), R"({"a":1,"b":2})");
}

TEST(DescribedStruct, SchemaAcceptsWhatItWrites) {
    for (const auto& value : {shop::Everything(), sample()}) {
        const auto report = compiled<shop::Everything>().validate(to_json(value));
        EXPECT_TRUE(report.valid()) << report.to_error().message();
    }
}

TEST(DescribedStruct, RefusesWhatTheSchemaRefuses) {
    const auto schema = compiled<shop::Everything>();
    const auto refused_by_both = [&](std::string_view member, std::string_view text) {
        Json json = to_json(sample());
        json.if_object()->set(std::string(member), parsed(text));
        EXPECT_FALSE(schema.validate(json).valid()) << member << " = " << text;
        EXPECT_FALSE(from_json<shop::Everything>(json)) << member << " = " << text;
    };
    for (const char* text : {"1", "\"true\"", "null"}) refused_by_both("flag", text);
    for (const char* text : {"1.5", "2147483648", "-2147483649", "1e40", "\"1\"", "null"}) {
        refused_by_both("number", text);
    }
    for (const char* text : {"-1", "256", "0.5"}) refused_by_both("small", text);
    for (const char* text : {"-1", "0.5", "[]"}) refused_by_both("count", text);
    for (const char* text : {"\"0.5\"", "true", "null"}) refused_by_both("ratio", text);
    for (const char* text : {"1", "null", "{}"}) refused_by_both("text", text);
    for (const char* text : {"\"Celsius\"", "0", "null"}) refused_by_both("unit", text);
    for (const char* text : {"{}", "[1]", "[{\"a\":1}]"}) refused_by_both("sums", text);
    for (const char* text : {"[\"x\"]", "null"}) refused_by_both("holes", text);
    for (const char* text : {"[]", "{\"x\":1}", "{\"x\":[1.5]}"}) refused_by_both("table", text);
    for (const char* text : {"null", "{}", "{\"a\":1,\"b\":2,\"c\":3}"}) refused_by_both("maybe", text);
    for (const char* text : {"[]", "1"}) refused_by_both("object", text);
    refused_by_both("unknown", "1");
    Json missing = to_json(sample());
    missing.if_object()->erase("text");
    EXPECT_FALSE(schema.validate(missing).valid());
    EXPECT_FALSE(from_json<shop::Everything>(missing));
}

TEST(DescribedStruct, AcceptsIntegersHoweverWritten) {
    EXPECT_EQ(from_json<std::vector<std::uint8_t>>(parsed("[1.0, 2e1]")).value(), (std::vector<std::uint8_t>{1, 20}));
}

TEST(DescribedStruct, NamesTheFullPathAndNeverTheValue) {
    EXPECT_EQ(refusal<std::vector<shop::AddArgs>>(R"([{"a":1,"b":2},{"a":"hunter2","b":2}])"),
              "/1/a: must be a number");
    EXPECT_EQ(refusal<shop::AddArgs>(R"({"a":1})"), "(root): must have the property 'b'");
    EXPECT_EQ(refusal<shop::AddArgs>(R"("hunter2")"), "(root): must be an object");
    EXPECT_EQ((refusal<std::map<std::string, shop::Unit>>(R"({"a/b~":"hunter2"})")),
              "/a~1b~0: must be one of: celsius, kelvin, kOther");
    EXPECT_EQ(refusal<std::vector<std::int32_t>>("[98765432109]"), "/0: must be from -2147483648 to 2147483647");
    EXPECT_THAT(refusal<shop::AddArgs>(R"({"a":1e999,"b":2})"), Not(HasSubstr("1e999")));
}

TEST(DescribedStruct, MayContainItself) {
    EXPECT_EQ(schema_of<shop::Tree>().dump(),
              R"({"type":"object","properties":{"name":{"type":"string"},)"
              R"("children":{"type":"array","items":{"$ref":"#"}}},"required":["name","children"],)"
              R"("additionalProperties":false})");
    const auto good = parsed(R"({"name":"a","children":[{"name":"b","children":[]}]})");
    EXPECT_TRUE(compiled<shop::Tree>().validate(good).valid());
    EXPECT_EQ(to_json(from_json<shop::Tree>(good).value()), good);
    EXPECT_EQ(refusal<shop::Tree>(R"({"name":"a","children":[{"name":"b","children":[7]}]})"),
              "/children/0/children/0: must be an object");
}

TEST(DescribedStruct, ThatContainsItselfIsDefinedOnceInsideAnother) {
    const Json schema = schema_of<shop::Forest>();
    EXPECT_EQ(schema.at_pointer("/properties/first")->dump(),
              R"({"$ref":"#/$defs/Tree","description":"the older one"})");
    EXPECT_EQ(schema.at_pointer("/properties/second")->dump(), R"({"$ref":"#/$defs/Tree"})");
    EXPECT_EQ(schema.find("$defs")->if_object()->size(), 1u);
    const auto forest = compiled<shop::Forest>();
    EXPECT_TRUE(
        forest.validate(parsed(R"({"first":{"name":"a","children":[]},"second":{"name":"b","children":[]}})")).valid());
    EXPECT_FALSE(forest.validate(parsed(R"({"first":{"name":"a","children":[3]},"second":{"name":"b","children":[]}})"))
                     .valid());
}

}  // namespace
}  // namespace gantry
