#include "io/http/headers.hpp"

#include <gtest/gtest.h>

namespace gantry::http {
namespace {

TEST(Headers, KeepsOrderAndComparesNamesWithoutCase) {
    const Headers headers{{"Content-Type", "a"}, {"X", "1"}, {"content-type", "b"}};
    EXPECT_EQ(headers.size(), 3u);
    EXPECT_EQ(headers.get("CONTENT-TYPE"), "a");
    EXPECT_EQ(headers.count("content-Type"), 2u);
    EXPECT_EQ(headers[2].value, "b");
    EXPECT_FALSE(headers.get("Content"));
}

TEST(Headers, SetReplacesAllOfThatName) {
    Headers headers{{"A", "1"}, {"B", "2"}, {"a", "3"}};
    headers.set("A", "4");
    EXPECT_EQ(headers.size(), 2u);
    EXPECT_EQ(headers.get("a"), "4");
    EXPECT_TRUE(headers.erase("b"));
    EXPECT_FALSE(headers.erase("b"));
}

TEST(Headers, TakesItsOwnValuesAsArguments) {
    Headers headers{{"A", std::string(100, 'x')}};
    for (int i = 0; i < 20; ++i) headers.add("B" + std::to_string(i), *headers.get("A"));
    headers.set("A", *headers.get("B3"));
    EXPECT_EQ(headers.get("A"), std::string(100, 'x'));
    headers.add(headers[0].name, headers[0].value);
    EXPECT_EQ(headers.count("B0"), 2u);
}

TEST(Headers, OnlyLettersHaveCase) {
    // Every pair of bytes, in names of every length that takes a different comparison path.
    for (const std::size_t size : {1u, 3u, 4u, 7u, 8u, 9u, 16u, 19u}) {
        for (int x = 0; x < 256; ++x) {
            for (int y = 0; y < 256; ++y) {
                std::string a(size, 'k');
                std::string b(size, 'K');
                const std::size_t at = static_cast<std::size_t>(x + y) % size;
                a[at] = static_cast<char>(x);
                b[at] = static_cast<char>(y);
                const bool letters = (x | 0x20) >= 'a' && (x | 0x20) <= 'z';
                ASSERT_EQ(equal_ignoring_case(a, b), x == y || (letters && (x ^ y) == 0x20))
                    << size << ' ' << x << ' ' << y;
            }
        }
    }
}

TEST(Headers, KnowsWhetherItMayBeSentAsItIs) {
    Headers headers{{"A", "1"}};
    EXPECT_TRUE(headers.all_checked());
    EXPECT_EQ(headers.line(0), "A: 1\r\n");
    headers.add("B", "2\r\nC: 3");
    EXPECT_FALSE(headers.all_checked());
    EXPECT_EQ(headers.line(0), "");
    headers.clear();
    EXPECT_TRUE(headers.all_checked());
}

TEST(Headers, KnowsTheNamesThatAreLookedForHoweverTheyAreSpelt) {
    const Headers headers{{"HOST", "h"}, {"x-host", "x"}, {"mcp-Session-ID", "s"}, {"Mcp-Session-I_", "n"}};
    EXPECT_EQ(headers.name_of(0), FieldName::kHost);
    EXPECT_EQ(headers.name_of(1), FieldName::kOther);
    EXPECT_EQ(headers.name_of(3), FieldName::kOther);
    EXPECT_EQ(headers.get(FieldName::kMcpSessionId), "s");
    EXPECT_FALSE(headers.get(FieldName::kAccept));
    for (const auto& [text, name] : {std::pair("Accept", FieldName::kAccept),
                                     {"Authorization", FieldName::kAuthorization},
                                     {"Connection", FieldName::kConnection},
                                     {"Content-Length", FieldName::kContentLength},
                                     {"Content-Type", FieldName::kContentType},
                                     {"Expect", FieldName::kExpect},
                                     {"Last-Event-ID", FieldName::kLastEventId},
                                     {"Mcp-Method", FieldName::kMcpMethod},
                                     {"Mcp-Name", FieldName::kMcpName},
                                     {"MCP-Protocol-Version", FieldName::kMcpProtocolVersion},
                                     {"Origin", FieldName::kOrigin},
                                     {"Transfer-Encoding", FieldName::kTransferEncoding}}) {
        EXPECT_EQ(field_name(text), name) << text;
        EXPECT_EQ(field_name(std::string(text).substr(1) + "x"), FieldName::kOther) << text;
    }
}

TEST(Headers, CopyIsIndependent) {
    Headers a{{"A", "1"}};
    const Headers b = a;
    a.clear();
    EXPECT_EQ(b.get("A"), "1");
    EXPECT_TRUE(a.empty());
}

TEST(Headers, NamesAreTokensAndValuesHaveNoControls) {
    EXPECT_TRUE(Headers::valid_name("Mcp-Session-Id"));
    for (const char* name : {"", "a b", "a:", "a\r", "a\n", "(x)", "\xc3\xa4"}) EXPECT_FALSE(Headers::valid_name(name));
    EXPECT_TRUE(Headers::valid_value(""));
    EXPECT_TRUE(Headers::valid_value("a\tb \xc3\xa4"));
    for (const std::string_view value : {"a\rb", "a\nb", "\x7f", "\x01"}) EXPECT_FALSE(Headers::valid_value(value));
    EXPECT_FALSE(Headers::valid_value(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace gantry::http
