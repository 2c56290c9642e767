#include "app/config/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gantry::app {
namespace {

using testing::HasSubstr;

std::string as_json(std::string_view text) {
    const auto document = parse_yaml(text);
    return document ? document->tree.dump()
                    : std::to_string(document.error().at.line) + ":" + std::to_string(document.error().at.column) +
                          " " + document.error().what;
}

TEST(Yaml, BecomesTheTreeOfTheSameJson) {
    const struct {
        std::string_view yaml, json;
    } rows[] = {
        {"", "null"},
        {"# only a comment\n", "null"},
        {"a: 1\nb: [x, 'y', \"z\\n\"]\n", R"({"a":1,"b":["x","y","z\n"]})"},
        {"a: ~\nb:\nc: null\n", R"({"a":null,"b":null,"c":null})"},
        {"a: true\nb: False\nc: yes\nd: 'true'\n", R"({"a":true,"b":false,"c":"yes","d":"true"})"},
        {"- 1.50\n- -7\n- 1e3\n- 007\n- 0x1f\n- +1\n- .5\n- 1_000\n",
         R"([1.50,-7,1e3,"007","0x1f","+1",".5","1_000"])"},
        {"a: !!str 12\n", R"({"a":"12"})"},
        {"a: 127.0.0.1:8090\n", R"({"a":"127.0.0.1:8090"})"},
        {"a: |\n  two\n  lines\nb: >-\n  one\n  line\n", R"({"a":"two\nlines\n","b":"one line"})"},
        {"base: &b {x: 1}\nuse: *b\n", R"({"base":{"x":1},"use":{"x":1}})"},
        {"---\na: 1\n...\n", R"({"a":1})"},
        {R"({"a": {"b": [1, "\u00e9\/", null]}})", R"({"a":{"b":[1,"é/",null]}})"},
        {"{\n\t\"a\": 1\n}", R"({"a":1})"},
        {R"({"a": "\ud83d\ude00"})", R"({"a":"😀"})"},
        {"\xef\xbb\xbf"
         "a: 1\n",
         R"({"a":1})"},
    };
    for (const auto& row : rows) EXPECT_EQ(as_json(row.yaml), row.json) << row.yaml;
}

TEST(Yaml, RefusesWithAPlaceAndAReason) {
    const struct {
        std::string_view yaml, says;
    } rows[] = {
        {"a: 1\nb: 2\na: 3\n", "3:1 duplicate key; it is first used in line 1"},
        {"a:\n\t- b\n", "2:1"},
        {"a:\n\t- b\n", "tabs cannot indent"},
        {"a: [1, 2\nb: 3\n", "2:"},
        {"a: 1\n---\nb: 2\n", "only one document"},
        {"a: *nothing\n", "1:4 an alias without an anchor"},
        {"a: &x [*x]\n", "an alias without an anchor"},
        {"a: !!binary aGk=\n", "1:4 tags are not supported"},
        {"a: !include other.yaml\n", "tags are not supported"},
        {"a: !!map {}\n", "tags are not supported"},
        {"? [a, b]\n: c\n", "a key must be text"},
        {"x: &x {a: 1}\ny:\n  <<: *x\n", "3:3 merge keys"},
        {"a: \xff\n", "1:4"},
        {"a: \x01\n", "1:4"},
        {"a: 'open\n", ""},
        {"\xff\xfe"
         "a",
         "1:1"},
        {"a: \"\\ud83d\"\n", "1:"},
    };
    for (const auto& row : rows) {
        EXPECT_FALSE(parse_yaml(row.yaml)) << row.yaml;
        EXPECT_THAT(as_json(row.yaml), HasSubstr(row.says)) << row.yaml;
    }
}

TEST(Yaml, KnowsWhereThingsStood) {
    const auto document = parse_yaml("servers:\n  - name: a\n    env: {A/B: 1}\n  - name: b\n");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->place_of("/servers").line, 1u);
    EXPECT_EQ(document->place_of("/servers/1").line, 4u);
    EXPECT_EQ(document->place_of("/servers/1").column, 5u);
    EXPECT_EQ(document->place_of("/servers/0/env/A~1B").column, 11u);
    EXPECT_EQ(document->place_of("/servers/0/absent").line, 2u) << "the nearest part around it";
    EXPECT_EQ(document->place_of("/nowhere").line, 0u);
}

TEST(Yaml, ABombOfAliasesDoesNotGoOff) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
        for (int k = 1; k < 10; ++k) bomb += ", " + before;
        bomb += "]\n";
    }
    EXPECT_THAT(as_json(bomb), HasSubstr("more than 100000 values"));
}

TEST(Yaml, AliasesOfLongTextsAreBounded) {
    std::string text = "a: &a " + std::string(500'000, 'x') + "\nb: [*a";
    for (int i = 0; i < 1000; ++i) text += ", *a";
    EXPECT_THAT(as_json(text + "]\n"), HasSubstr("aliases make it too large"));
}

TEST(Yaml, DeepAndHugeTextsAreRefused) {
    EXPECT_THAT(as_json(std::string(100'000, '[')), HasSubstr("nested deeper than 32"));
    std::string stairs;
    for (int i = 0; i < 100; ++i) stairs += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
    EXPECT_THAT(as_json(stairs), HasSubstr("nested deeper than 32"));
    EXPECT_THAT(as_json(std::string(2u << 20, '#')), HasSubstr("larger than 1048576 bytes"));
    std::string wide = "[";
    for (int i = 0; i < 200'000; ++i) wide += "1,";
    EXPECT_THAT(as_json(wide + "1]"), HasSubstr("more than 100000 values"));
    EXPECT_TRUE(parse_yaml(std::string(1000, '#')));
}

TEST(Yaml, FaultsDoNotRepeatWhatWasRead) {
    for (const std::string_view text :
         {"token: s3cret: more\n", "token: [s3cret\n", "token: *s3cret\n", "s3cret: 1\ns3cret: 2\n",
          "token: !s3cret x\n", "token: \"s3cret\\q\"\n", "token: 'a' s3cret\n"}) {
        EXPECT_FALSE(parse_yaml(text)) << text;
        EXPECT_THAT(as_json(text), testing::Not(HasSubstr("s3cret"))) << text;
    }
}

}  // namespace
}  // namespace gantry::app
