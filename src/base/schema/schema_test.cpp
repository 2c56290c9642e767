#include "base/schema/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace gantry::schema {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Json parsed(std::string_view text) {
    auto json = Json::parse(text);
    EXPECT_TRUE(json) << text << ": " << json.error().to_string();
    return json ? *json : Json();
}

Schema compiled(std::string_view text, const CompileOptions& options = {}) {
    auto schema = Schema::compile(parsed(text), options);
    EXPECT_TRUE(schema) << schema.error().to_string();
    return schema ? *schema : *Schema::compile(Json(true));
}

Error compile_error(std::string_view text, const CompileOptions& options = {}) {
    auto schema = Schema::compile(parsed(text), options);
    EXPECT_FALSE(schema) << text;
    return schema ? Error(ErrorCode::kInternal, "compiled") : schema.error();
}

ValidationReport report_of(std::string_view schema, std::string_view value) {
    return compiled(schema).validate(parsed(value));
}

std::string first_message(std::string_view schema, std::string_view value) {
    const auto report = report_of(schema, value);
    EXPECT_FALSE(report.valid()) << schema << " accepted " << value;
    return report.valid() ? "accepted" : report.issues.front().message;
}

TEST(SchemaIssue, NamesPathKeywordAndExpectation) {
    const auto report =
        report_of(R"({"properties":{"user":{"properties":{"age":{"minimum":18}}}}})", R"({"user":{"age":4711e-3}})");
    ASSERT_EQ(report.issues.size(), 1u);
    EXPECT_EQ(report.issues[0].instance_path, "/user/age");
    EXPECT_EQ(report.issues[0].keyword_path, "#/properties/user/properties/age/minimum");
    EXPECT_EQ(report.issues[0].message, "/user/age: must be at least 18 (minimum)");
    EXPECT_EQ(report.to_error().code(), ErrorCode::kSchema);
}

TEST(SchemaIssue, EscapesNamesInPaths) {
    const auto report = report_of(R"({"additionalProperties":{"type":"null"}})", R"({"a/b~c":[1]})");
    ASSERT_EQ(report.issues.size(), 1u);
    EXPECT_EQ(report.issues[0].instance_path, "/a~1b~0c");
}

TEST(SchemaIssue, SaysWhatIsExpectedByEachKeyword) {
    EXPECT_EQ(first_message(R"({"type":["integer","null"]})", "1.5"), "(root): must be null or integer (type)");
    EXPECT_EQ(first_message(R"({"required":["a","b"]})", R"({"b":1})"),
              "(root): must have the property 'a' (required)");
    EXPECT_EQ(first_message(R"({"additionalProperties":false})", R"({"x":1})"),
              "/x: is a property the schema does not allow (additionalProperties)");
    EXPECT_EQ(first_message(R"({"enum":["red",1]})", R"("blue")"), R"((root): must be one of: "red", 1 (enum))");
    EXPECT_EQ(first_message(R"({"const":true})", "1"), "(root): must be true (const)");
    EXPECT_EQ(first_message(R"({"minLength":3})", R"("äö")"), "(root): must be at least 3 characters long (minLength)");
    EXPECT_EQ(first_message(R"({"uniqueItems":true})", "[1,2,1.0]"),
              "(root): must have no equal items, but 0 and 2 are (uniqueItems)");
    EXPECT_EQ(first_message(R"({"items":{"multipleOf":0.1}})", "[0.3,0.35]"),
              "/1: must be a multiple of 0.1 (multipleOf)");
    EXPECT_EQ(first_message(R"({"not":{}})", "1"), "(root): must not match the schema under 'not' (not)");
    EXPECT_EQ(first_message(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})"),
              "(root): must have the property 'b' because it has 'a' (dependentRequired)");
}

TEST(SchemaIssue, ExplainsAlternativesByTheOneThatIsAboutTheValue) {
    constexpr auto kSchema = R"({"anyOf":[{"type":"object","required":["x"]},{"type":"null"}]})";
    EXPECT_EQ(first_message(kSchema, "{}"), "(root): must have the property 'x' (required)");
    EXPECT_EQ(first_message(kSchema, "1"), "(root): must be null or object (anyOf)");
    EXPECT_EQ(first_message(R"({"oneOf":[{"minimum":1},{"maximum":3}]})", "2"),
              "(root): must match exactly one alternative, but matches several (oneOf)");
}

TEST(SchemaIssue, NeverContainsTheValue) {
    const std::string secret = R"("hunter2-hunter2")";
    for (const char* schema :
         {R"({"type":"integer"})", R"({"const":1})", R"({"enum":["a"]})", R"({"maxLength":1})", R"({"minLength":99})",
          R"({"pattern":"^[0-9]+$"})", R"({"format":"ipv4"})", R"({"not":{"type":"string"}})",
          R"({"anyOf":[{"type":"null"},{"maxLength":2}]})", R"({"oneOf":[{"type":"null"},{"const":7}]})", "false"}) {
        CompileOptions options;
        options.assert_formats = true;
        const auto report = compiled(schema, options).validate(parsed(secret));
        ASSERT_FALSE(report.valid()) << schema;
        EXPECT_THAT(report.to_error().to_string(), Not(HasSubstr("hunter2"))) << schema;
    }
    for (const char* schema : {R"({"items":{"minimum":5}})", R"({"items":{"multipleOf":5}})", R"({"uniqueItems":true})",
                               R"({"contains":{"type":"null"}})", R"({"maxItems":1})"}) {
        const auto report = compiled(schema).validate(parsed("[-424242, -424242]"));
        ASSERT_FALSE(report.valid()) << schema;
        EXPECT_THAT(report.to_error().to_string(), Not(HasSubstr("424242"))) << schema;
    }
}

TEST(SchemaIssue, StopsAtTheWantedNumber) {
    const auto schema = compiled(R"({"items":{"type":"string"}})");
    const auto value = parsed("[1,2,3,4,5,6,7,8]");
    EXPECT_EQ(schema.validate(value).issues.size(), 5u);
    EXPECT_EQ(schema.validate(value, {.max_issues = 2}).issues.size(), 2u);
    EXPECT_EQ(schema.validate(value, {.max_issues = 0}).issues.size(), 1u);
    EXPECT_EQ(schema.validate(value, {.max_issues = 100}).issues.size(), 8u);
}

TEST(SchemaIssue, CutsHostileNamesShort) {
    Json value = JsonObject{{std::string(1 << 20, 'x'), 1}};
    const auto report = compiled(R"({"additionalProperties":false})").validate(value);
    ASSERT_FALSE(report.valid());
    EXPECT_LT(report.to_error().message().size(), 1000u);
}

TEST(SchemaCompile, NamesThePlaceOfAnUnusableKeyword) {
    const auto error = compile_error(R"({"properties":{"a":{"type":"text"}}})");
    EXPECT_EQ(error.code(), ErrorCode::kSchema);
    EXPECT_THAT(error.message(), StartsWith("schema at #/properties/a: type must be"));
    for (const char* bad : {R"({"type":[]})",
                            R"({"required":"a"})",
                            R"({"minimum":"1"})",
                            R"({"multipleOf":0})",
                            R"({"maxLength":-1})",
                            R"({"maxLength":1.5})",
                            R"({"properties":[]})",
                            R"({"items":[{}]})",
                            R"({"allOf":[]})",
                            R"({"allOf":{}})",
                            R"({"enum":1})",
                            R"({"pattern":"("})",
                            R"({"$ref":1})",
                            R"({"uniqueItems":1})",
                            R"({"not":1})",
                            "1",
                            "[]",
                            R"({"properties":{"a":1}})",
                            R"({"$id":"#x"})",
                            R"({"exclusiveMinimum":true})"}) {
        EXPECT_EQ(compile_error(bad).code(), ErrorCode::kSchema) << bad;
    }
}

TEST(SchemaCompile, RefusesUnknownDialectsByName) {
    const auto error = compile_error(R"({"$schema":"http://json-schema.org/draft-04/schema#"})");
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("draft-04"));
}

TEST(SchemaCompile, RefusesRequiredVocabulariesItDoesNotKnow) {
    CompileOptions options;
    options.documents.emplace("https://example.com/meta", parsed(R"({"$id":"https://example.com/meta",
        "$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{"https://example.com/v":true}})"));
    const auto error = compile_error(R"({"$schema":"https://example.com/meta"})", options);
    EXPECT_THAT(error.message(), HasSubstr("https://example.com/v"));
}

TEST(SchemaCompile, NeverFetchesAndNamesTheReference) {
    const auto error = compile_error(R"({"properties":{"a":{"$ref":"https://example.com/other.json#/x"}}})");
    EXPECT_EQ(error.code(), ErrorCode::kSchema);
    EXPECT_THAT(error.message(), AllOf(HasSubstr("https://example.com/other.json#/x"), HasSubstr("#/properties/a")));
    EXPECT_THAT(compile_error(R"({"$ref":"#/$defs/missing"})").message(), HasSubstr("#/$defs/missing"));
    EXPECT_THAT(compile_error(R"({"$ref":"#missing"})").message(), HasSubstr("#missing"));
}

TEST(SchemaCompile, FollowsReferencesIntoGivenDocuments) {
    CompileOptions options;
    options.documents.emplace("https://example.com/dir/other.json", parsed(R"({"$defs":{"n":{"type":"number"}}})"));
    options.base_uri = "https://example.com/dir/this.json";
    const auto schema = compiled(R"({"$ref":"other.json#/$defs/n"})", options);
    const auto report = schema.validate(parsed("true"));
    ASSERT_FALSE(report.valid());
    EXPECT_EQ(report.issues[0].keyword_path, "https://example.com/dir/other.json#/$defs/n/type");
}

TEST(SchemaCompile, KnowsTheMetaschemasOfBothDrafts) {
    const auto modern = compiled(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})");
    EXPECT_TRUE(modern.validate(parsed(R"({"properties":{"a":{"type":"string","minLength":1}}})")).valid());
    EXPECT_FALSE(modern.validate(parsed(R"({"properties":{"a":{"type":"text"}}})")).valid());
    EXPECT_FALSE(modern.validate(parsed(R"({"$defs":{"a":{"allOf":[{"items":7}]}}})")).valid());
    const auto old = compiled(R"({"$ref":"http://json-schema.org/draft-07/schema#"})");
    EXPECT_TRUE(old.validate(parsed(R"({"items":[{"type":"string"}]})")).valid());
    EXPECT_FALSE(old.validate(parsed(R"({"items":[{"minLength":-1}]})")).valid());
}

TEST(SchemaCompile, ReadsDraft7WhenSchemaSaysSo) {
    const auto schema = compiled(R"({"$schema":"http://json-schema.org/draft-07/schema#",
        "items":[{"type":"integer"}],"additionalItems":false})");
    EXPECT_TRUE(schema.validate(parsed("[1]")).valid());
    EXPECT_FALSE(schema.validate(parsed("[1,2]")).valid());
    EXPECT_EQ(compile_error(R"({"items":[{"type":"integer"}]})").code(), ErrorCode::kSchema);
}

TEST(SchemaCompile, RefusesReferencesThatNeverEnd) {
    EXPECT_THAT(compile_error(R"({"$ref":"#"})").message(), HasSubstr("leads back to itself"));
    EXPECT_THAT(compile_error(R"({"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},
        "b":{"$ref":"#/$defs/a"}}})")
                    .message(),
                HasSubstr("leads back to itself"));
}

TEST(SchemaLimits, EndEndlessConditionsWithoutOverflow) {
    const auto report = report_of(R"({"anyOf":[{"type":"null"},{"$ref":"#"},{"$ref":"#"}]})", "1");
    EXPECT_TRUE(report.limit_reached);
    EXPECT_FALSE(report.valid());
    EXPECT_EQ(report.to_error().code(), ErrorCode::kLimit);
    EXPECT_FALSE(report.to_error().retryable());
    EXPECT_TRUE(report_of(R"({"not":{"$ref":"#"}})", "1").limit_reached);
    EXPECT_TRUE(report_of(R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", "1").limit_reached);
}

/// Forty levels of two references to the next one: 2^40 steps for any value.
std::string explosive() {
    std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
    for (int i = 0; i < 40; ++i) {
        const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + R"("})";
        schema += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]},";
    }
    return schema + R"("d40":true}})";
}

TEST(SchemaLimits, RefuseExplosiveSchemas) {
    const Error refused = compile_error(explosive());
    EXPECT_EQ(refused.code(), ErrorCode::kLimit);
    EXPECT_THAT(refused.message(), HasSubstr("subschemas to one value"));
    EXPECT_THAT(refused.message(), HasSubstr("#/$defs/d"));
}

TEST(SchemaLimits, WideAndRecursiveSchemasAreNotExplosive) {
    std::string wide = R"({"anyOf":[)";
    for (int i = 0; i < 2000; ++i) wide += (i ? "," : "") + (R"({"const":)" + std::to_string(i) + "}");
    EXPECT_TRUE(report_of(wide + "]}", "1999").valid());
    EXPECT_TRUE(report_of(R"({"anyOf":[{"type":"null"},{"type":"object","additionalProperties":{"$ref":"#"}}]})",
                          R"({"a":{"b":{"c":null}}})")
                    .valid());
}

TEST(SchemaLimits, BoundTheWorkOfExplosiveSchemas) {
    CompileOptions any;
    any.max_fan_out = std::numeric_limits<std::size_t>::max() / 4;
    const auto schema = Schema::compile(parsed(explosive()), any);
    ASSERT_TRUE(schema) << schema.error().message();
    const auto report = schema->validate(Json(1), {.max_steps = 100'000});
    EXPECT_TRUE(report.limit_reached);
    EXPECT_THAT(report.to_error().message(), HasSubstr("100000 steps"));
}

TEST(SchemaLimits, CountWorkInsideRegularExpressionsAndLists) {
    const Json text(std::string(1 << 20, 'a'));
    EXPECT_TRUE(compiled(R"({"pattern":"b"})").validate(text, {.max_steps = 1000}).limit_reached);
    const Json list(JsonArray(5000, Json(1)));
    EXPECT_TRUE(compiled(R"({"items":{}})").validate(list, {.max_steps = 1000}).limit_reached);
}

TEST(SchemaLimits, CountTheSizeOfItemsThatMustBeUnique) {
    const std::string large = R"([")" + std::string(100'000, 'a') + R"("])";
    EXPECT_TRUE(compiled(R"({"uniqueItems":true})").validate(parsed(large), {.max_steps = 1000}).limit_reached);
    // Differ only beyond the depth that is hashed: each pair is compared.
    JsonArray items;
    for (int i = 0; i < 100; ++i) {
        Json item(i);
        for (int k = 0; k < 100; ++k) item = Json(JsonArray{std::move(item)});
        items.push_back(std::move(item));
    }
    EXPECT_TRUE(compiled(R"({"uniqueItems":true})").validate(items, {.max_steps = 100'000}).limit_reached);
    EXPECT_TRUE(compiled(R"({"uniqueItems":true})").validate(items).valid());
    JsonArray many;
    for (int i = 0; i < 50'000; ++i) many.push_back(i);
    EXPECT_TRUE(compiled(R"({"uniqueItems":true})").validate(many, {.max_steps = 400'000}).valid()) << "not quadratic";
}

TEST(SchemaLimits, CountWorkOfDynamicReferencesAndUnevaluatedMembers) {
    JsonObject object;
    for (int i = 0; i < 50'000; ++i) object.set("m" + std::to_string(i), i);
    EXPECT_TRUE(compiled(R"({"additionalProperties":true,"unevaluatedProperties":false})")
                    .validate(object, {.max_steps = 10'000})
                    .limit_reached);
}

TEST(SchemaLimits, CountLargeExpressionsForMore) {
    const Json text(std::string(1600, 'a'));
    EXPECT_TRUE(compiled(R"({"pattern":"^a*$"})").validate(text, {.max_steps = 200}).valid());
    EXPECT_TRUE(compiled(R"({"pattern":"^(a|b|c){0,500}$"})").validate(text, {.max_steps = 200}).limit_reached);
}

TEST(SchemaLimits, RefuseSchemasTooLargeOrTooDeep) {
    std::string wide = R"({"allOf":[)";
    for (int i = 0; i < 200; ++i) wide += i ? ",{}" : "{}";
    CompileOptions small;
    small.max_nodes = 100;
    EXPECT_EQ(compile_error(wide + "]}", small).code(), ErrorCode::kLimit);
    std::string options = R"({"enum":[1)";
    for (int i = 0; i < 500; ++i) options += ",1";
    EXPECT_EQ(compile_error(options + "]}", small).code(), ErrorCode::kLimit);
    Json deep(true);
    for (int i = 0; i < 300; ++i) deep = Json(JsonObject{{"not", std::move(deep)}});
    const auto refused = Schema::compile(deep);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
}

TEST(SchemaLimits, RefusePatternsTooLarge) {
    CompileOptions small;
    small.max_pattern_size = 100;
    EXPECT_EQ(compile_error(R"({"pattern":"^[a-z]{500}$"})", small).code(), ErrorCode::kLimit);
}

TEST(SchemaLimits, AcceptValuesAsDeepAsTheParserAllows) {
    const auto schema = compiled(R"({"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[{"type":"integer"},
        {"type":"array","items":{"$ref":"#/$defs/n"}}]}}})");
    const std::string text = std::string(127, '[') + "1" + std::string(127, ']');
    const auto report = schema.validate(parsed(text));
    EXPECT_TRUE(report.valid()) << report.to_error().message();
}

TEST(SchemaLimits, ManyRequiredNamesAndMembersStayFast) {
    JsonObject properties;
    JsonArray required;
    JsonObject value;
    for (int i = 0; i < 2000; ++i) {
        const std::string name = "name" + std::to_string(i);
        properties.set(name, JsonObject{{"type", "integer"}});
        required.push_back(name);
        value.set("name" + std::to_string(1999 - i), i);
    }
    const auto schema = Schema::compile(JsonObject{{"properties", properties}, {"required", required}});
    ASSERT_TRUE(schema);
    EXPECT_TRUE(schema->validate(value).valid());
    value.erase("name77");
    const auto report = schema->validate(value);
    ASSERT_EQ(report.issues.size(), 1u);
    EXPECT_THAT(report.issues[0].message, HasSubstr("'name77'"));
}

TEST(SchemaLimits, ManyReferencesToManyDefinitionsStayFast) {
    JsonObject definitions;
    JsonArray all;
    for (int i = 0; i < 3000; ++i) {
        const std::string name = "d/" + std::to_string(i);
        definitions.set(name, JsonObject{{"type", "integer"}});
        all.push_back(JsonObject{{"$ref", "#/$defs/d~1" + std::to_string(2999 - i)}});
    }
    const auto schema = Schema::compile(JsonObject{{"$defs", definitions}, {"allOf", all}});
    ASSERT_TRUE(schema) << schema.error().to_string();
    EXPECT_TRUE(schema->validate(Json(1)).valid());
    const auto report = schema->validate(Json("x"), {.max_issues = 1});
    ASSERT_EQ(report.issues.size(), 1u);
    EXPECT_EQ(report.issues[0].keyword_path, "#/$defs/d~12999/type");
}

TEST(Schema, IsSharedBetweenThreads) {
    const auto schema = compiled(R"({"properties":{"a":{"pattern":"^x+$"}},"unevaluatedProperties":false})");
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([schema] {
            for (int n = 0; n < 200; ++n) {
                EXPECT_TRUE(schema.validate(parsed(R"({"a":"xxx"})")).valid());
                EXPECT_FALSE(schema.validate(parsed(R"({"a":"y"})")).valid());
                EXPECT_FALSE(schema.validate(parsed(R"({"b":1})")).valid());
            }
        });
    }
}

TEST(Schema, ComparesNumbersExactly) {
    EXPECT_TRUE(report_of(R"({"maximum":9007199254740993})", "9007199254740993").valid());
    EXPECT_FALSE(report_of(R"({"maximum":9007199254740992})", "9007199254740993").valid());
    EXPECT_FALSE(report_of(R"({"multipleOf":0.01})", "0.105").valid());
    EXPECT_TRUE(report_of(R"({"multipleOf":0.01})", "123456789012345678901234567890.07").valid());
    EXPECT_TRUE(report_of(R"({"const":1})", "10e-1").valid());
    EXPECT_FALSE(report_of(R"({"multipleOf":3})", "1e1000000000").valid());
    EXPECT_TRUE(report_of(R"({"multipleOf":4})", "1e1000000000").valid());
}

}  // namespace
}  // namespace gantry::schema
