#include "base/json/scan.hpp"

#include <gtest/gtest.h>

#include "base/json/agreement.hpp"

namespace gantry::json {
namespace {

EnvelopeView scanned(std::string_view text) {
    auto view = scan_envelope(text);
    EXPECT_TRUE(view.has_value()) << text;
    EXPECT_EQ(scan_disagreement(text), "") << text;
    return view ? *view : EnvelopeView{};
}

TEST(JsonScan, FindsThePartsOfACall) {
    const auto view = scanned(
        R"({"jsonrpc":"2.0","id":"c7","method":"tools/call","params":{"name":"sum","arguments":{"name":"no","a":[1.0]},)"
        R"("requestState":"s","inputResponses":{},"_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":)"
        R"("2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"n"},"io.modelcontextprotocol/clientCapabilities":{},)"
        R"("io.modelcontextprotocol/logLevel":"info","io.modelcontextprotocol/subscriptionId":1,"vendor/logLevel":2,)"
        R"("io.gantry/correlation\u0049d":"c1"}}})");
    EXPECT_EQ(view.kind, Json::Kind::kObject);
    EXPECT_EQ(view.id.raw(), R"("c7")");
    EXPECT_EQ(view.id.member(), R"("id":"c7")");
    EXPECT_TRUE(view.method.is("tools/call"));
    EXPECT_EQ(view.in_params.name.raw(), R"("sum")");
    EXPECT_EQ(view.in_params.arguments.raw(), R"({"name":"no","a":[1.0]})");
    EXPECT_EQ(view.in_params.request_state.plain_text(), "s");
    EXPECT_TRUE(view.in_params.input_responses.is_object());
    const MetaView& meta = view.in_params.in_meta;
    EXPECT_EQ(meta.progress_token.raw(), "7");
    EXPECT_TRUE(meta.protocol_version.is("2026-07-28"));
    EXPECT_EQ(meta.client_info.raw(), R"({"name":"n"})");
    EXPECT_EQ(meta.client_capabilities.raw(), "{}");
    EXPECT_TRUE(meta.log_level.is("info"));
    EXPECT_EQ(meta.subscription_id.raw(), "1");
    EXPECT_TRUE(meta.correlation_id.is("c1"));
    EXPECT_FALSE(view.result);
    EXPECT_FALSE(view.in_result.meta);
    EXPECT_FALSE(view.in_params.cursor);
}

TEST(JsonScan, FindsThePartsOfAResult) {
    const auto view = scanned(
        R"({"id":9007199254740993,"result":{"resultType":"complete","nextCursor":"n","ttlMs":5,"cacheScope":"private",)"
        R"("isError":true,"content":[{"nextCursor":"inner"}],"_meta":{"io.modelcontextprotocol/subscriptionId":"L1"}}})");
    EXPECT_EQ(view.id.raw(), "9007199254740993");
    EXPECT_TRUE(view.in_result.result_type.is("complete"));
    EXPECT_TRUE(view.in_result.next_cursor.is("n"));
    EXPECT_EQ(view.in_result.ttl_ms.raw(), "5");
    EXPECT_TRUE(view.in_result.cache_scope.is("private"));
    EXPECT_TRUE(view.in_result.is_error.is_true());
    EXPECT_TRUE(view.in_result.content.is_array());
    EXPECT_TRUE(view.in_result.in_meta.subscription_id.is("L1"));
}

TEST(JsonScan, AnEscapedSpellingDoesNotSlipPast) {
    const auto view = scanned(R"({"m\u0065thod":"tools\/c\u0061ll","par\u0061ms":{"n\u0061me":"x\"y"}})");
    EXPECT_TRUE(view.method.is("tools/call"));
    EXPECT_FALSE(view.method.plain_text().has_value());
    EXPECT_EQ(view.method.text(), "tools/call");
    EXPECT_EQ(view.in_params.name.text(), "x\"y");
    EXPECT_EQ(verdict(scan_envelope(R"({"method":"a","m\u0065thod":"b"})")), "duplicate object key at byte 14");
}

TEST(JsonScan, LooksIntoObjectsOfTheEnvelopeOnly) {
    const auto view = scanned(R"({"params":[{"name":"x"}],"other":{"name":"y"},"result":"s","error":{"name":1}})");
    EXPECT_TRUE(view.params.is_array());
    EXPECT_FALSE(view.in_params.name);
    EXPECT_TRUE(view.result.is_string());
    EXPECT_FALSE(
        scanned(R"({"params":{"x":[{"name":1}],"_meta":[{"progressToken":1}]}})").in_params.in_meta.progress_token);
    EXPECT_EQ(scanned(R"([{"id":1}])").kind, Json::Kind::kArray);
    EXPECT_FALSE(scanned(R"([{"id":1}])").id);
    EXPECT_EQ(scanned("7").kind, Json::Kind::kNumber);
}

TEST(JsonScan, SpansCarryNoBlanks) {
    const auto view = scanned(" { \"id\" : 1 , \"params\" : { \"_meta\" : { \"progressToken\" : [ 1 ] } } } ");
    EXPECT_EQ(view.id.raw(), "1");
    EXPECT_EQ(view.id.member(), "\"id\" : 1");
    EXPECT_EQ(view.in_params.in_meta.progress_token.raw(), "[ 1 ]");
}

TEST(JsonScan, RefusesAnErrorInAnyCorner) {
    EXPECT_FALSE(scan_envelope(R"({"params":{"arguments":{"deep":[{"x":1,"x":2}]}}})"));
    EXPECT_FALSE(scan_envelope(R"({"result":[tru]})"));
    EXPECT_FALSE(scan_envelope(R"({"result":["\x"]})"));
    EXPECT_FALSE(scan_envelope(R"({"result":[1 2]})"));
}

TEST(JsonScan, KindsOfASpanAreTold) {
    const auto view = scanned(R"({"id":null,"method":-1,"params":false})");
    EXPECT_TRUE(view.id.is_null());
    EXPECT_TRUE(view.method.is_number());
    EXPECT_FALSE(view.method.is("-1"));
    EXPECT_FALSE(view.method.text().has_value());
    EXPECT_TRUE(view.params.is_false());
    EXPECT_FALSE(Span().is_null());
    EXPECT_FALSE(Span().is(""));
}

}  // namespace
}  // namespace gantry::json
