#include "surface/cli/arguments.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "surface/cli/options.hpp"

namespace gantry::cli {
namespace {

Json schema() {
    return *Json::parse(R"({"type":"object","$defs":{"Count":{"type":"integer"}},"properties":{
        "text":{"type":"string"},"limit":{"type":"integer"},"ratio":{"type":"number"},"loud":{"type":"boolean"},
        "tags":{"type":"array"},"where":{"type":"object"},"either":{"type":["number","string"]},
        "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},"count":{"$ref":"#/$defs/Count"},
        "level":{"enum":["low","high"]},"step":{"enum":[1,2]},"free":{},"loop":{"$ref":"#/properties/loop"}}})");
}

std::string arguments(const std::vector<std::string>& given) {
    auto read = tool_arguments(given, schema());
    return read ? Json(*std::move(read)).dump() : "error: " + read.error().message();
}

TEST(Arguments, TextStaysAsItIsWhateverItLooksLike) {
    EXPECT_EQ(arguments({"text=hi there"}), R"({"text":"hi there"})");
    EXPECT_EQ(arguments({"text=17"}), R"({"text":"17"})");
    EXPECT_EQ(arguments({"text="}), R"({"text":""})");
    EXPECT_EQ(arguments({"text=a=b"}), R"({"text":"a=b"})");
    EXPECT_EQ(arguments({"level=low"}), R"({"level":"low"})");
    EXPECT_EQ(arguments({"text=@home"}), R"({"text":"@home"})");
}

TEST(Arguments, EverythingElseIsJsonOfItsType) {
    EXPECT_EQ(arguments({"limit=3", "ratio=0.50", "loud=true"}), R"({"limit":3,"ratio":0.50,"loud":true})");
    EXPECT_EQ(arguments({"tags=[\"a\",1]", "where={\"x\":null}"}), R"({"tags":["a",1],"where":{"x":null}})");
    EXPECT_EQ(arguments({"maybe=null", "count=2", "step=1"}), R"({"maybe":null,"count":2,"step":1})");
    EXPECT_EQ(arguments({"ratio=7"}), R"({"ratio":7})") << "an integer is a number";
}

TEST(Arguments, WhereTextAndJsonAreAllowedJsonIsTriedFirst) {
    EXPECT_EQ(arguments({"either=17"}), R"({"either":17})");
    EXPECT_EQ(arguments({"either=seventeen"}), R"({"either":"seventeen"})");
    EXPECT_EQ(arguments({"either=true"}), R"({"either":"true"})");
}

TEST(Arguments, WhatTheSchemaDoesNotNameIsText) {
    EXPECT_EQ(arguments({"free=17", "unknown=[1]", "loop=1"}), R"({"free":"17","unknown":"[1]","loop":"1"})");
    auto read = tool_arguments({"limit=3"}, Json());
    ASSERT_TRUE(read);
    EXPECT_EQ(Json(*read).dump(), R"({"limit":"3"})");
}

TEST(Arguments, ColonForcesJson) {
    EXPECT_EQ(arguments({"free:=17", "text:=null", "tags:=[]"}), R"({"free":17,"text":null,"tags":[]})");
    EXPECT_TRUE(arguments({"free:=nope"}).starts_with("error: argument 'free' is not JSON"));
}

TEST(Arguments, MistakesNameTheKeyAndNeverTheValue) {
    EXPECT_EQ(arguments({"limit=secret"}), "error: argument 'limit' must be an integer, e.g. limit=3");
    EXPECT_EQ(arguments({"limit=2.5"}), "error: argument 'limit' must be an integer, e.g. limit=3");
    EXPECT_EQ(arguments({"maybe=secret"}), "error: argument 'maybe' must be null or an integer, e.g. maybe=null");
    EXPECT_EQ(arguments({"text=a", "text=b"}), "error: argument 'text' is given twice");
    for (const std::vector<std::string>& given :
         {std::vector<std::string>{"word"}, {"=x"}, {":=1"}, {"{}", "text=a"}, {"text=a", "{}"}}) {
        EXPECT_TRUE(arguments(given).starts_with("error: arguments are one JSON object")) << arguments(given);
    }
}

TEST(Arguments, OneJsonObjectOrAFileOfItStays) {
    EXPECT_EQ(arguments({}), "{}");
    EXPECT_EQ(arguments({""}), "{}");
    EXPECT_EQ(arguments({R"( {"limit":"as it is"})"}), R"({"limit":"as it is"})");
    EXPECT_TRUE(arguments({"[1]"}).starts_with("error: the arguments must be a JSON object"));
    EXPECT_TRUE(arguments({"{"}).starts_with("error: the arguments are not JSON"));
    EXPECT_EQ(arguments({"@/no/such/file"}), "error: cannot read '/no/such/file'");
}

TEST(Parsing, CallTakesPairsBesideItsOptions) {
    const auto parsed =
        parse({"call", "add", "a=1", "--timeout", "5", "b:=2", "--url", "http://127.0.0.1:1/mcp", "--probe"});
    ASSERT_TRUE(parsed.options);
    EXPECT_EQ(parsed.options->name, "add");
    EXPECT_EQ(parsed.options->arguments, (std::vector<std::string>{"a=1", "b:=2"}));
    EXPECT_TRUE(parsed.options->probe);
    const auto piped = parse({"call", "add", "-", "--", "server", "x=1"});
    ASSERT_TRUE(piped.options);
    EXPECT_EQ(piped.options->arguments, std::vector<std::string>{"-"});
    EXPECT_EQ(piped.options->server_command, (std::vector<std::string>{"server", "x=1"}));
}

}  // namespace
}  // namespace gantry::cli
