#include "mcp/protocol/uri_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

struct Case {
    const char* pattern;
    const char* uri;
    std::optional<StringMap> values;
};

TEST(UriTemplateExtract, FindsTheVariablesThatMakeAUri) {
    const std::vector<Case> cases{
        {"test://template/{id}/data", "test://template/123/data", StringMap{{"id", "123"}}},
        {"test://template/{id}/data", "test://template//data", {}},
        {"test://template/{id}/data", "test://template/1/2/data", {}},
        {"test://template/{id}/data", "test://template/a%2Fb%20c/data", StringMap{{"id", "a/b c"}}},
        {"a:{x}-{y}", "a:1-2-3", StringMap{{"x", "1-2"}, {"y", "3"}}},
        {"a:{x,y}", "a:1,2", StringMap{{"x", "1"}, {"y", "2"}}},
        {"a:{x,y}", "a:1", {}},
        {"file:///{+path}", "file:///a/b.txt", StringMap{{"path", "a/b.txt"}}},
        {"file:///{+path}/end", "file:///a/end/end", StringMap{{"path", "a/end"}}},
        {"a:b{#part}", "a:b#x/y", StringMap{{"part", "x/y"}}},
        {"a:b{#part}", "a:b", StringMap{}},
        {"a:b{.ext}", "a:b.txt", StringMap{{"ext", "txt"}}},
        {"a:b{/x,y}", "a:b/1/2", StringMap{{"x", "1"}, {"y", "2"}}},
        {"a:b{;x,y}", "a:b;x=1;y=2", StringMap{{"x", "1"}, {"y", "2"}}},
        {"a:b{?x,y}", "a:b?y=2&x=1", StringMap{{"x", "1"}, {"y", "2"}}},
        {"a:b{?x,y}", "a:b?y=2", StringMap{{"y", "2"}}},
        {"a:b{?x,y}", "a:b", StringMap{}},
        {"a:b{?x}", "a:b?z=1", {}},
        {"a:b?f=1{&x}", "a:b?f=1&x=2", StringMap{{"x", "2"}}},
        {"a:b", "a:b", StringMap{}},
        {"a:b", "a:bc", {}},
        {"a:{x}", "a:%zz", {}},
        {"a:{x}", "a:%4", {}},
        {"a:{x}", "a: ", {}},
    };
    for (const Case& c : cases) {
        const auto parsed = UriTemplate::parse_extractable(c.pattern);
        ASSERT_TRUE(parsed) << c.pattern;
        EXPECT_EQ(parsed->extract(c.uri), c.values) << c.pattern << " of " << c.uri;
        if (c.values) {
            EXPECT_TRUE(UriTemplate::parse(c.pattern)->matches(c.uri)) << c.pattern << " on " << c.uri;
        }
    }
}

TEST(UriTemplateExtract, RefusesWhatItCannotReverse) {
    for (const char* pattern : {"a:{", "a:}", "a:{}", "a:{x*}", "a:{x:3}", "a:{x y}", "a:{!x}", "a:{x,}"}) {
        EXPECT_FALSE(UriTemplate::parse_extractable(pattern)) << pattern;
    }
}

TEST(UriTemplateExtract, ManyVariablesDoNotMakeAUriSlow) {
    const auto parsed = UriTemplate::parse_extractable("a:{a}-{b}-{c}-{d}-{e}-{f}-{g}!");
    ASSERT_TRUE(parsed);
    EXPECT_FALSE(parsed->extract("a:" + std::string(400, '-')));
    EXPECT_FALSE(parsed->extract("a:" + std::string(100'000, 'x')));
}

TEST(UriTemplateMatch, MatchesWhatItExpandsTo) {
    const struct {
        std::string_view pattern, uri;
        bool matches;
    } rows[] = {
        {"file:///{name}", "file:///x", true},
        {"file:///{name}", "file:///x/y", false},
        {"file:///{name}", "file:///", false},
        {"file:///{name}", "files:///x", false},
        {"file:///{+path}", "file:///x/y?z#w", true},
        {"db://{table}/rows/{id}", "db://users/rows/7", true},
        {"db://{table}/rows/{id}", "db://users/7", false},
        {"db://{table}/rows/{id}", "db://a/b/rows/7", false},
        {"x://{a}{b}", "x://1", false},
        {"x://{a}{b}", "x://12", true},
        {"x://{a,b}", "x://1,2", true},
        {"x://h{/p*}", "x://h/1/2/3", true},
        {"x://h{/p*}", "x://h", true},
        {"x://h{/p*}", "x://h?1", false},
        {"x://h{?q,r}", "x://h?q=1&r=2", true},
        {"x://h{?q,r}", "x://h", true},
        {"x://h{?q,r}", "x://h#f", false},
        {"x://h?a=1{&q}", "x://h?a=1&q=2", true},
        {"x://h{#f}", "x://h#any/thing?x", true},
        {"x://h{.ext}", "x://h.txt", true},
        {"x://h{;v}", "x://h;v=1", true},
        {"x://{n:3}", "x://abc", true},
        {"test://template/{id}/data", "test://template/123/data", true},
        {"test://template/{id}/data", "test://template/123/datas", false},
        {"x://fixed", "x://fixed", true},
        {"x://fixed", "x://fixed/", false},
        {"", "", true},
    };
    for (const auto& row : rows) {
        const auto pattern = UriTemplate::parse(row.pattern);
        ASSERT_TRUE(pattern) << row.pattern;
        EXPECT_EQ(pattern->matches(row.uri), row.matches) << row.pattern << " on " << row.uri;
    }
}

TEST(UriTemplateMatch, RefusesWhatIsNone) {
    for (const std::string_view text : {"x{", "x}", "{", "}{", "{}", "{+}", "{a b}", "{{a}}", "{a|b}"}) {
        EXPECT_FALSE(UriTemplate::parse(text)) << text;
    }
}

TEST(UriTemplateMatch, ManyExpressionsStayCheap) {
    std::string text = "x:";
    for (int i = 0; i < 60; ++i) text += "{+a}b";
    const auto pattern = UriTemplate::parse(text);
    ASSERT_TRUE(pattern);
    EXPECT_FALSE(pattern->matches("x:" + std::string(5000, 'b') + "c"));
}

TEST(UriTemplate, KnowsItsVariablesAndItsLiteralSize) {
    const auto parsed = UriTemplate::parse_extractable("a:{x}/b{?y,z}");
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->has_variable("x"));
    EXPECT_TRUE(parsed->has_variable("z"));
    EXPECT_FALSE(parsed->has_variable("a"));
    EXPECT_EQ(parsed->literal_size(), 4u);
    EXPECT_EQ(UriTemplate::parse("a:{x}/b{?y*}")->literal_size(), 4u);
}

}  // namespace
}  // namespace gantry::mcp
