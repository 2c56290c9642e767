#include "surface/mcp/member_filter.hpp"

#include <gtest/gtest.h>

#include "gantry/json.hpp"

namespace gantry::surface {
namespace {

/// Drops "drop", wraps "wrap", puts the value of "change" in brackets, and appends "last" if requested.
class Rules final : public MemberRules {
public:
    explicit Rules(bool adds = false) : adds_(adds) {}

    MemberAction decide(std::string_view name, char first) override {
        if (name == "drop") return MemberAction::kDrop;
        if (name == "wrap") return first == '{' ? MemberAction::kPass : MemberAction::kWrap;
        return name == "change" || name == "refuse" ? MemberAction::kRewrite : MemberAction::kPass;
    }
    Result<std::string> rewrite(std::string_view name, std::optional<std::string_view> value) override {
        if (name == "refuse") return fail(ErrorCode::kProtocol, "refused");
        if (!value) return "";
        return "[" + std::string(*value) + "]";
    }
    std::string last_members() override { return adds_ ? R"("last":0)" : ""; }

private:
    bool adds_;
};

Result<std::string> filtered(std::string_view text, std::size_t first, std::size_t step, bool adds = false) {
    Rules rules(adds);
    MemberFilter filter(rules);
    std::string out;
    while (!text.empty()) {
        // A separate copy, so that reads beyond its end are detected.
        const std::string piece(text.substr(0, first));
        auto part = filter.feed(piece);
        if (!part) return std::unexpected(part.error());
        out += *part;
        text.remove_prefix(piece.size());
        first = step;
    }
    return out;
}

struct Row {
    const char* in;
    const char* out;
};
const Row kRows[] = {
    {R"({})", R"({})"},
    {R"({"drop":1})", R"({})"},
    {R"({ "drop" : {"a":[1,"}"]} , "b" : 2 })", R"({ "b" : 2 })"},
    {R"({"a":1,"drop":"x,}\"","b":[{"drop":1},"\\"]})", R"({"a":1,"b":[{"drop":1},"\\"]})"},
    {R"({"a":"1","b":-2.50e3 ,"drop":null})", R"({"a":"1","b":-2.50e3 })"},
    {R"({"\u0064rop":1,"d\u0072op":2,"dropp":3,"dro":4})", R"({"dropp":3,"dro":4})"},
    {R"({"wrap":{"a":1},"x":true})", R"({"wrap":{"a":1},"x":true})"},
    {R"({"wrap":[1,{"b":2}],"x":true})", R"({"wrap":{"result":[1,{"b":2}]},"x":true})"},
    {R"({"drop":1,"wrap":"}","x":false})", R"({"wrap":{"result":"}"},"x":false})"},
    {R"({"change": {"k":"v"} ,"y":"é\n"})", R"({"change": [{"k":"v"}],"y":"é\n"})"},
    {R"({"x":"a\"b","change":12})", R"({"x":"a\"b","change":[12]})"},
    {"\n {\"a\"\n:\t1 ,\r\n\"b\":2\n}", "{\"a\"\n:\t1 ,\r\n\"b\":2\n}"},
};

TEST(MemberFilter, MembersMeetTheirFateHoweverTheTextIsCut) {
    for (const Row& row : kRows) {
        const std::string_view in = row.in;
        for (std::size_t first = 1; first <= in.size(); ++first) {
            for (std::size_t step = 1; step <= in.size(); ++step) {
                const auto out = filtered(in, first, step);
                ASSERT_TRUE(out) << out.error().to_string();
                ASSERT_EQ(*out, row.out) << in << " cut at " << first << " and every " << step;
            }
        }
    }
}

TEST(MemberFilter, WhatIsAddedComesLast) {
    EXPECT_EQ(filtered("{}", 1, 1, true), R"({"last":0})");
    EXPECT_EQ(filtered(R"({"drop":1 })", 1, 1, true), R"({"last":0})");
    EXPECT_EQ(filtered(R"({"a":1})", 3, 2, true), R"({"a":1,"last":0})");
}

TEST(MemberFilter, OnlyAnObjectPasses) {
    for (const char* text : {"[1]", "\"x\"", "1", " null"}) {
        const auto out = filtered(text, 1, 1);
        ASSERT_FALSE(out) << text;
        EXPECT_EQ(out.error().code(), ErrorCode::kProtocol);
    }
    EXPECT_FALSE(filtered(R"({"a":1,"refuse":2})", 1, 1));
}

TEST(MemberFilter, NothingItKeepsGrowsWithTheText) {
    const std::string name(100'000, 'n');
    const std::string value(1'000'000, 'v');
    const std::string space(100'000, ' ');
    const std::string in = "{\"" + name + "\"" + space + ":" + space + "\"" + value + "\"" + space + "," + space +
                           "\"change\":\"" + value + "\",\"drop\":\"" + value + "\"," + space + "\"b\":1}";
    for (const std::size_t step : {7u, 1000u, 64u << 10}) {
        Rules rules;
        MemberFilter filter(rules);
        std::string out;
        for (std::size_t at = 0; at < in.size(); at += step) {
            const auto part = filter.feed(std::string_view(in).substr(at, step));
            ASSERT_TRUE(part);
            ASSERT_LE(part->size(), step + 1000);
            out += *part;
        }
        EXPECT_TRUE(Json::parse(out, {.max_bytes = out.size()})) << step;
        const auto tree = Json::parse(out);
        ASSERT_TRUE(tree);
        EXPECT_EQ(tree->string_at(name), value);
        EXPECT_EQ(tree->find("change"), nullptr) << "too long to be rewritten";
        EXPECT_EQ(tree->find("drop"), nullptr);
        EXPECT_EQ(*tree->find("b"), Json(1));
    }
}

}  // namespace
}  // namespace gantry::surface
