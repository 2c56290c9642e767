#include "gateway/catalog/uri_template.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway {
namespace {

TEST(UriTemplate, MatchesWhatItExpandsTo) {
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

TEST(UriTemplate, RefusesWhatIsNone) {
    for (const std::string_view text : {"x{", "x}", "{", "}{", "{}", "{+}", "{a b}", "{{a}}", "{a|b}"}) {
        EXPECT_FALSE(UriTemplate::parse(text)) << text;
    }
}

TEST(UriTemplate, ManyExpressionsStayCheap) {
    std::string text = "x:";
    for (int i = 0; i < 60; ++i) text += "{+a}b";
    const auto pattern = UriTemplate::parse(text);
    ASSERT_TRUE(pattern);
    EXPECT_FALSE(pattern->matches("x:" + std::string(5000, 'b') + "c"));
}

}  // namespace
}  // namespace gantry::gateway
