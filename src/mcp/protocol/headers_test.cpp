#include "mcp/protocol/headers.hpp"

#include <gtest/gtest.h>

#include <map>

namespace gantry::mcp {
namespace {

Json schema(std::string_view properties) {
    return *Json::parse(R"({"type":"object","properties":)" + std::string(properties) + "}");
}

std::string refusal(std::string_view properties) {
    const auto params = header_params(schema(properties));
    return params ? "accepted" : params.error().message();
}

TEST(HeaderValue, LeavesPlainTextAlone) {
    for (const std::string_view text : {"eu-west", "a b", "=?base64?abc", "?=", "=?BASE64?YQ==?=", "~!"}) {
        EXPECT_EQ(encode_header_value(text), text);
        EXPECT_EQ(decode_header_value(text).value(), text);
    }
}

TEST(HeaderValue, CodesWhatAFieldCannotCarry) {
    for (const std::string_view text : {"", " a", "a ", "a\tb", "a\nb", "Zürich", "=?base64?YQ==?=", "\x7F"}) {
        const std::string coded = encode_header_value(text);
        EXPECT_TRUE(coded.starts_with("=?base64?") && coded.ends_with("?=")) << coded;
        EXPECT_EQ(decode_header_value(coded).value(), text);
    }
    EXPECT_EQ(encode_header_value("Zürich"), "=?base64?WsO8cmljaA==?=");
}

TEST(HeaderValue, StripsOptionalWhitespaceBeforeDecoding) {
    EXPECT_EQ(decode_header_value(" \t a b \t").value(), "a b");
    EXPECT_EQ(decode_header_value("  =?base64?YQ==?= ").value(), "a");
}

TEST(HeaderValue, RefusesBadBase64PaddingAndUtf8) {
    for (const std::string_view text :
         {"=?base64?YQ=?=", "=?base64?YQ?=", "=?base64?Y*==?=", "=?base64?YR==?=", "=?base64?/w==?=",
          "=?base64?YQ==YQ==?=", "=?base64?====?=", "=?base64?Y Q=?="}) {
        EXPECT_FALSE(decode_header_value(text)) << text;
    }
}

TEST(HeaderValue, RefusesBytesThatShouldHaveBeenCoded) {
    for (const std::string_view text : {"Z\xC3\xBCrich", "=?ba\x8D?=", "a\nb", "a\x7F"}) {
        EXPECT_FALSE(decode_header_value(text)) << text;
    }
    EXPECT_EQ(decode_header_value("a\tb").value(), "a\tb");
}

TEST(HeaderParams, FindsMarkedPropertiesAlsoNestedOnes) {
    const auto params = header_params(schema(R"({
        "region":{"type":"string","x-mcp-header":"Region"},
        "n":{"type":"integer","x-mcp-header":"Method"},
        "o":{"type":"object","properties":{"flag":{"type":"boolean","x-mcp-header":"Flag"}}},
        "x-mcp-header":{"type":"number"},
        "d":{"type":"string","default":{"x-mcp-header":1}}})"));
    ASSERT_TRUE(params) << params.error().message();
    ASSERT_EQ(params->size(), 3U);
    EXPECT_EQ((*params)[0].header, "Mcp-Param-Region");
    EXPECT_EQ((*params)[1].header, "Mcp-Param-Method");
    EXPECT_EQ((*params)[2].path, (std::vector<std::string>{"o", "flag"}));
    EXPECT_EQ((*params)[2].type, HeaderParam::Type::kBoolean);
}

TEST(HeaderParams, RefusesEveryBrokenRuleWithItsReason) {
    EXPECT_NE(refusal(R"({"a":{"type":"string","x-mcp-header":""}})").find("non-empty"), std::string::npos);
    EXPECT_NE(refusal(R"({"a":{"type":"string","x-mcp-header":1}})").find("non-empty"), std::string::npos);
    EXPECT_NE(refusal(R"({"a":{"type":"string","x-mcp-header":"a b"}})").find("token"), std::string::npos);
    EXPECT_NE(refusal(R"({"a":{"type":"string","x-mcp-header":"ä"}})").find("token"), std::string::npos);
    EXPECT_NE(refusal(R"({"a":{"type":"string","x-mcp-header":"a:b"}})").find("token"), std::string::npos);
    EXPECT_NE(refusal(R"({"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}})")
                  .find("repeats"),
              std::string::npos);
    for (const std::string_view type : {R"("number")", R"("object")", R"("array")", R"("null")", R"(["string"])"}) {
        EXPECT_NE(refusal(R"({"a":{"type":)" + std::string(type) + R"(,"x-mcp-header":"A"}})").find("not of type"),
                  std::string::npos);
    }
    EXPECT_NE(refusal(R"({"a":{"x-mcp-header":"A"}})").find("not of type"), std::string::npos);
    const std::string mark = R"({"type":"string","x-mcp-header":"A"})";
    for (const std::string& place :
         {R"({"a":{"type":"array","items":)" + mark + "}}", R"({"a":{"oneOf":[)" + mark + "]}}",
          R"({"a":{"if":)" + mark + "}}", R"({"a":{"$defs":{"p":)" + mark + "}}}",
          R"({"a":{"items":{"properties":{"b":)" + mark + "}}}}", R"({"a":{"additionalProperties":)" + mark + "}}"}) {
        EXPECT_NE(refusal(place).find("reachable"), std::string::npos) << place;
    }
    EXPECT_FALSE(header_params(*Json::parse(mark)));
}

TEST(HeaderParams, MirrorsArgumentsAndOmitsAbsentAndNull) {
    const auto params = header_params(schema(R"({
        "s":{"type":"string","x-mcp-header":"S"},"i":{"type":"integer","x-mcp-header":"I"},
        "b":{"type":"boolean","x-mcp-header":"B"},"n":{"type":"string","x-mcp-header":"N"},
        "o":{"properties":{"x":{"type":"string","x-mcp-header":"X"}}}})"))
                            .value();
    const auto headers = param_headers(params, JsonObject{{"s", "Zürich"}, {"i", 7}, {"b", true}, {"n", nullptr}});
    ASSERT_TRUE(headers);
    EXPECT_EQ(*headers,
              (HeaderList{{"Mcp-Param-S", "=?base64?WsO8cmljaA==?="}, {"Mcp-Param-I", "7"}, {"Mcp-Param-B", "true"}}));
}

TEST(HeaderParams, RefusesValuesThatCannotBeHeadersWithoutNamingThem) {
    const auto params = header_params(schema(R"({"i":{"type":"integer","x-mcp-header":"I"}})")).value();
    for (const Json& value : {Json(1.5), Json(std::int64_t{1} << 53), Json(JsonArray{}), Json(JsonObject{})}) {
        const auto headers = param_headers(params, JsonObject{{"i", value}});
        ASSERT_FALSE(headers);
        EXPECT_EQ(headers.error().message().find("9007199254740992"), std::string::npos);
    }
    EXPECT_TRUE(param_headers(params, JsonObject{{"i", -((std::int64_t{1} << 53) - 1)}}));
}

TEST(RoutingHeaders, TakeTheNameFromWhereTheMethodKeepsIt) {
    const Json params = JsonObject{{"name", "sum"}, {"uri", "file:///ä"}, {"taskId", "t1"}};
    const auto name = [&](std::string_view method) {
        const auto headers = routing_headers(method, params, Revision::k2026_07_28);
        return headers.size() == 2 ? headers[1].second : "";
    };
    EXPECT_EQ(name("tools/call"), "sum");
    EXPECT_EQ(name("prompts/get"), "sum");
    EXPECT_EQ(decode_header_value(name("resources/read")).value(), "file:///ä");
    EXPECT_EQ(name("tasks/get"), "t1");
    EXPECT_EQ(name("tasks/update"), "t1");
    EXPECT_EQ(name("tasks/cancel"), "t1");
    EXPECT_EQ(name("tools/list"), "");
}

TEST(CheckHeaders, ComparesDecodedValuesAndIntegersAsNumbers) {
    std::map<std::string, std::string, std::less<>> fields = {{"Mcp-Method", " tools/call "},
                                                              {"Mcp-Name", "=?base64?c3Vt?="}};
    const HeaderLookup lookup = [&](std::string_view name) -> const std::string* {
        const auto found = fields.find(name);
        return found != fields.end() ? &found->second : nullptr;
    };
    const Json params = JsonObject{{"name", "sum"}};
    EXPECT_TRUE(check_routing_headers(lookup, "tools/call", params, kLatestRevision));
    EXPECT_FALSE(check_routing_headers(lookup, "tools/Call", params, kLatestRevision));
    fields["Mcp-Name"] = "Sum";
    EXPECT_FALSE(check_routing_headers(lookup, "tools/call", params, kLatestRevision));
    fields.erase("Mcp-Name");
    EXPECT_FALSE(check_routing_headers(lookup, "tools/call", params, kLatestRevision));

    const auto marked = header_params(schema(R"({"i":{"type":"integer","x-mcp-header":"I"}})")).value();
    const JsonObject arguments{{"i", 7}};
    EXPECT_FALSE(check_param_headers(lookup, marked, arguments));
    for (const std::string_view same : {"7", " 7 ", "007", "7.0"}) {
        fields["Mcp-Param-I"] = same;
        EXPECT_TRUE(check_param_headers(lookup, marked, arguments)) << same;
    }
    for (const std::string_view other : {"8", "-7", "x", "", "=?base64?Nw=?="}) {
        fields["Mcp-Param-I"] = other;
        EXPECT_FALSE(check_param_headers(lookup, marked, arguments)) << other;
    }
    EXPECT_FALSE(check_param_headers(lookup, marked, JsonObject{}));
    fields.erase("Mcp-Param-I");
    EXPECT_TRUE(check_param_headers(lookup, marked, JsonObject{{"i", nullptr}}));
}

}  // namespace
}  // namespace gantry::mcp
