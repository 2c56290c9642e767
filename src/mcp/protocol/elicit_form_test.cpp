#include <gtest/gtest.h>

#include "gantry/mcp/elicitation.hpp"

namespace gantry::mcp {
namespace {

Json form(std::string_view properties, std::string_view required = "[]") {
    return *Json::parse(R"({"type":"object","properties":)" + std::string(properties) + R"(,"required":)" +
                        std::string(required) + "}");
}

const std::string kEveryKind = R"({
    "name":{"type":"string","title":"Name","description":"who","minLength":1,"maxLength":5},
    "mail":{"type":"string","format":"email"},
    "age":{"type":"integer","minimum":0,"maximum":150,"default":30},
    "score":{"type":"number","default":0.5},
    "ok":{"type":"boolean","default":true},
    "plain":{"type":"string","enum":["a","b"],"default":"b"},
    "old":{"type":"string","enum":["a","b"],"enumNames":["A","B"]},
    "titled":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},
    "many":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"default":["x"]},
    "manyTitled":{"type":"array","items":{"anyOf":[{"const":"p","title":"P"}]},"maxItems":1}})";

TEST(ElicitForm, ReadsEveryFormOfQuestionInOrder) {
    const auto fields = elicit_fields(form(kEveryKind, R"(["name"])"));
    ASSERT_TRUE(fields) << fields.error().message();
    using Kind = ElicitField::Kind;
    std::vector<Kind> kinds;
    for (const ElicitField& field : *fields) kinds.push_back(field.kind);
    EXPECT_EQ(kinds,
              (std::vector{Kind::kString, Kind::kString, Kind::kInteger, Kind::kNumber, Kind::kBoolean, Kind::kChoice,
                           Kind::kChoice, Kind::kChoice, Kind::kMultiChoice, Kind::kMultiChoice}));
    EXPECT_TRUE((*fields)[0].required);
    EXPECT_FALSE((*fields)[1].required);
    EXPECT_EQ((*fields)[0].title, "Name");
    EXPECT_EQ((*fields)[1].title, "mail");
    EXPECT_EQ((*fields)[2].maximum, 150);
    EXPECT_EQ((*fields)[6].choices, (std::vector<ElicitField::Choice>{{"a", "A"}, {"b", "B"}}));
    EXPECT_EQ((*fields)[7].choices[1].title, "Green");
    EXPECT_EQ((*fields)[8].choices[1].value, "y");
    EXPECT_EQ((*fields)[9].choices[0].title, "P");
}

TEST(ElicitForm, RefusesWhatIsNotAFlatForm) {
    for (const std::string_view properties :
         {R"({"o":{"type":"object"}})", R"({"o":{"type":"array","items":{"type":"string"}}})", R"({"o":{}})",
          R"({"o":{"type":"string","enum":[1]}})", R"({"o":true})", R"({"o":{"type":"string","enum":[]}})"}) {
        const auto fields = elicit_fields(form(properties));
        ASSERT_FALSE(fields) << properties;
        EXPECT_NE(fields.error().message().find("property o"), std::string::npos);
    }
    EXPECT_FALSE(elicit_fields(Json()));
    EXPECT_FALSE(elicit_fields(*Json::parse(R"({"type":"array"})")));
}

TEST(ElicitForm, FillsMissingDefaultsAndKeepsAnswers) {
    const JsonObject filled = fill_defaults(form(kEveryKind), JsonObject{{"name", "Ada"}, {"ok", false}});
    EXPECT_EQ(Json(filled), *Json::parse(R"({"name":"Ada","ok":false,"age":30,"score":0.5,"plain":"b","many":["x"]})"));
    EXPECT_TRUE(fill_defaults(Json(), {}).empty());
}

TEST(ElicitForm, ChecksContentAndNamesThePropertyNotTheValue) {
    const Json schema = form(kEveryKind, R"(["name"])");
    EXPECT_TRUE(check_elicit_content(schema, {{"name", "Ada"}, {"mail", "a@example.org"}, {"many", JsonArray{"y"}}}));
    for (const auto& [name, value] : std::vector<std::pair<std::string, Json>>{{"name", "toolong-secret"},
                                                                               {"mail", "secret"},
                                                                               {"age", -1},
                                                                               {"age", 1.5},
                                                                               {"ok", "secret"},
                                                                               {"plain", "secret"},
                                                                               {"titled", "secret"},
                                                                               {"many", JsonArray{"secret"}},
                                                                               {"many", JsonArray{}}}) {
        JsonObject content{{"name", "Ada"}};
        content.set(name, value);
        const auto checked = check_elicit_content(schema, content);
        ASSERT_FALSE(checked) << name;
        EXPECT_NE(checked.error().message().find(name), std::string::npos) << checked.error().message();
        EXPECT_EQ(checked.error().message().find("secret"), std::string::npos) << checked.error().message();
    }
    EXPECT_FALSE(check_elicit_content(schema, {}));
}

}  // namespace
}  // namespace gantry::mcp
