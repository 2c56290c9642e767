#include "surface/cli/signature.hpp"

#include <gtest/gtest.h>

#include "surface/cli/save.hpp"

namespace gantry::cli {
namespace {

Tool tool(const char* name, const char* schema) {
    mcp::Tool definition;
    definition.name = name;
    definition.input_schema = Json::parse(schema).value();
    return {name, std::move(definition), {}};
}

TEST(Signature, NamesArgumentsInTheOrderOfTheSchema) {
    EXPECT_EQ(signature(tool("add", R"({"type":"object","required":["a","b"],"properties":{"a":{"type":"number"},
        "b":{"type":"number"},"note":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"x":{}}})")),
              "add(a: number, b: number, note?: string, tags?: string[], x?)");
    EXPECT_EQ(signature(tool("now", R"({"type":"object"})")), "now()");
    EXPECT_EQ(signature(tool("odd", "true")), "odd()");
    std::string many = R"({"properties":{"a0":{})";
    for (int i = 1; i < 100; ++i) many += ",\"a" + std::to_string(i) + "\":{}";
    EXPECT_TRUE(signature(tool("many", (many + "}}").c_str())).ends_with("a11?, …)"));
}

TEST(Signature, TheExampleCanBePasted) {
    const Tool made =
        tool("make it", R"({"type":"object","required":["name","n","on","list","kind","from"],"properties":{
        "name":{"type":"string"},"n":{"type":"integer","minimum":3},"on":{"type":"boolean"},"list":{"type":"array"},
        "kind":{"enum":["it's","b"]},"from":{"type":"string","default":"a b"},"more":{"type":"string"}}})");
    Options options;
    options.server_command = {"my server", "-x"};
    EXPECT_EQ(example_call(made, options),
              R"(gantry call 'make it' name=text n=3 on=true 'list:=[]' 'kind=it'\''s' 'from=a b' -- 'my server' -x)");
    options = {};
    options.url = "http://h/mcp?a=b&c";
    EXPECT_TRUE(example_call(made, options).ends_with(" --url 'http://h/mcp?a=b&c'"));
    options.is_running_gateway = true;
    EXPECT_TRUE(example_call(made, options).ends_with("'from=a b'"));
    options = {};
    options.server_name = "files";
    EXPECT_TRUE(example_call(made, options).ends_with(" --server files"));
}

TEST(Save, ReadsBase64AndNothingElse) {
    EXPECT_EQ(from_base64("aGVsbG8="), "hello");
    EXPECT_EQ(from_base64("aGk="), "hi");
    EXPECT_EQ(from_base64("YWJj"), "abc");
    EXPECT_EQ(from_base64(""), "");
    for (const char* wrong : {"a", "ab", "abc", "a===", "ab=c", "a b=", "ab!c"}) {
        EXPECT_FALSE(from_base64(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace gantry::cli
