#include "mcp/handlers/uri_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

struct Case {
    const char* pattern;
    const char* uri;
    std::optional<StringMap> values;
};

TEST(UriTemplate, FindsTheVariablesThatMakeAUri) {
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
        const auto parsed = UriTemplate::parse(c.pattern);
        ASSERT_TRUE(parsed) << c.pattern;
        EXPECT_EQ(parsed->match(c.uri), c.values) << c.pattern << " of " << c.uri;
    }
}

TEST(UriTemplate, RefusesWhatItCannotMatch) {
    for (const char* pattern : {"a:{", "a:}", "a:{}", "a:{x*}", "a:{x:3}", "a:{x y}", "a:{!x}", "a:{x,}"}) {
        EXPECT_FALSE(UriTemplate::parse(pattern)) << pattern;
    }
}

TEST(UriTemplate, ManyVariablesDoNotMakeAUriSlow) {
    const auto parsed = UriTemplate::parse("a:{a}-{b}-{c}-{d}-{e}-{f}-{g}!");
    ASSERT_TRUE(parsed);
    EXPECT_FALSE(parsed->match("a:" + std::string(400, '-')));
    EXPECT_FALSE(parsed->match("a:" + std::string(100'000, 'x')));
}

}  // namespace
}  // namespace gantry::mcp
