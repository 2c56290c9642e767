#include "surface/mcp/encode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gantry/json.hpp"
#include "mcp/protocol/errors.hpp"
#include "surface/mcp/errors.hpp"
#include "surface/mcp/test_call.hpp"

namespace gantry::surface {
namespace {

using gateway::Output;
using gateway::Verb;
using mcp::Revision;
using testing::HasSubstr;
using testing::Not;

std::string encoded(Revision client, Revision source, std::string_view result, Verb verb = Verb::kCallTool) {
    const From from(client);
    auto answer = encode(from.call(), verb, gateway::make_output(result, source), kStamp, "sealed-id");
    return answer ? answer->message : answer.error().to_string();
}

TEST(EncodeTest, ModernToModernTouchesOnlyIdAndWhoAnswers) {
    EXPECT_EQ(encoded(Revision::k2026_07_28, Revision::k2026_07_28,
                      R"({"content":[ {"type":"text","text":"\u00e9 1e400"} ],"resultType":"complete","x":1.50,)"
                      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"spoof"},"vendor/key":7}})"),
              R"({"jsonrpc":"2.0","id":"seven","result":{"content":[ {"type":"text","text":"\u00e9 1e400"} ],)"
              R"("resultType":"complete","x":1.50,"_meta":{"io.modelcontextprotocol/serverInfo":)"
              R"({"name":"gantry","version":"0"},"vendor/key":7}}})");
}

TEST(EncodeTest, ALegacyServerCannotMakeItsResultAQuestion) {
    const auto json = Json::parse(encoded(Revision::k2026_07_28, Revision::k2025_11_25,
                                          R"({"resultType":"input_required","requestState":"forged","content":[]})"));
    ASSERT_TRUE(json.has_value());
    EXPECT_EQ(json->find("result")->string_at("resultType"), "complete");
}

TEST(EncodeTest, ALegacyResultBecomesAModernOne) {
    const auto json = Json::parse(encoded(Revision::k2026_07_28, Revision::k2025_11_25, R"({"isError":false})"));
    ASSERT_TRUE(json.has_value());
    const Json& result = *json->find("result");
    EXPECT_EQ(result.string_at("resultType"), "complete");
    EXPECT_TRUE(result.find("content")->is_array()) << "legacy servers leave it out";
    EXPECT_NE(result.at_pointer("/_meta/io.modelcontextprotocol~1serverInfo/name"), nullptr);
}

TEST(EncodeTest, AReadResultOfALegacyServerPromisesNothing) {
    const auto json =
        Json::parse(encoded(Revision::k2026_07_28, Revision::k2025_06_18, R"({"contents":[]})", Verb::kReadResource));
    ASSERT_TRUE(json.has_value());
    EXPECT_EQ(json->at_pointer("/result/ttlMs")->as_int(), 0);
    EXPECT_EQ(json->find("result")->string_at("cacheScope"), "private");
}

TEST(EncodeTest, NothingModernLeaksToALegacyClient) {
    const std::string text = encoded(Revision::k2025_11_25, Revision::k2026_07_28,
                                     R"({"resultType":"complete","ttlMs":5,"cacheScope":"public","contents":[],)"
                                     R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}})",
                                     Verb::kReadResource);
    for (const char* leak : {"resultType", "ttlMs", "cacheScope", "serverInfo", "_meta"})
        EXPECT_THAT(text, Not(HasSubstr(leak)));
    EXPECT_TRUE(Json::parse(text).has_value()) << text;
    const std::string more = encoded(Revision::k2025_11_25, Revision::k2026_07_28,
                                     R"({"resultType":"complete","content":[],"_meta":{"k":1 , )"
                                     R"("io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}})");
    EXPECT_THAT(more, HasSubstr(R"("_meta":{"k":1)")) << "what is not about the other hop stays";
}

TEST(EncodeTest, LegacyToLegacyOfTheSameRevisionKeepsEveryByteOfTheResult) {
    const std::string result = R"({"content":[],"structuredContent":{"a":1.0},"_meta":{"k":{}}})";
    EXPECT_EQ(encoded(Revision::k2025_11_25, Revision::k2025_11_25, result),
              R"({"jsonrpc":"2.0","id":"seven","result":)" + result + "}");
}

TEST(EncodeTest, StructuredContentThatIsNoObjectIsWrappedForLegacyClients) {
    const auto json = Json::parse(encoded(Revision::k2025_11_25, Revision::k2026_07_28,
                                          R"({"resultType":"complete","content":[],"structuredContent":[1,2]})"));
    ASSERT_TRUE(json.has_value());
    EXPECT_TRUE(json->at_pointer("/result/structuredContent")->is_object());
}

TEST(EncodeTest, VeryOldClientsGetNoStructuredContentAtAll) {
    const std::string text = encoded(Revision::k2024_11_05, Revision::k2025_11_25,
                                     R"({"content":[{"type":"resource_link","uri":"a:b","name":"n"}],)"
                                     R"("structuredContent":{"a":1}})");
    EXPECT_THAT(text, Not(HasSubstr("structuredContent")));
    EXPECT_THAT(text, Not(HasSubstr("resource_link")));
}

TEST(EncodeTest, AnOldClientThatDeclaresElicitationUnderstandsWhatCameWithIt) {
    mcp::ClientCapabilities capabilities;
    capabilities.elicitation.emplace();
    const From from(Revision::k2024_11_05, std::move(capabilities));
    const auto answer = encode(
        from.call(), Verb::kCallTool,
        gateway::make_output(R"({"content":[],"structuredContent":{"a":1}})", Revision::k2025_11_25), kStamp, "");
    ASSERT_TRUE(answer.has_value());
    EXPECT_THAT(answer->message, HasSubstr(R"("structuredContent":{"a":1})"));
}

TEST(EncodeTest, QuestionsCarryTheSealedState) {
    const From from(Revision::k2026_07_28);
    Output output = gateway::make_output("{}", Revision::k2026_07_28);
    output.kind = Output::Kind::kInputRequired;
    output.questions = R"({"q":{"method":"roots/list"}})";
    output.state = "sealed";
    const auto answer = encode(from.call(), Verb::kCallTool, std::move(output), kStamp);
    ASSERT_TRUE(answer.has_value());
    const auto json = Json::parse(answer->message);
    ASSERT_TRUE(json.has_value()) << answer->message;
    EXPECT_EQ(json->find("result")->string_at("resultType"), "input_required");
    EXPECT_EQ(json->find("result")->string_at("requestState"), "sealed");
    EXPECT_NE(json->at_pointer("/result/inputRequests/q/method"), nullptr);
}

TEST(EncodeTest, ATaskGoesByTheNameItsClientKnows) {
    const From from(Revision::k2026_07_28);
    Output output =
        gateway::make_output(R"({"resultType":"task","taskId":"own","status":"working"})", Revision::k2026_07_28);
    output.kind = Output::Kind::kTask;
    output.state = "sealed-id";
    const auto created = encode(from.call(), Verb::kCallTool, std::move(output), kStamp);
    ASSERT_TRUE(created.has_value());
    EXPECT_THAT(created->message, HasSubstr(R"("taskId":"sealed-id")"));
    EXPECT_THAT(encoded(Revision::k2026_07_28, Revision::k2026_07_28,
                        R"({"resultType":"complete","taskId":"own","status":"completed"})", Verb::kGetTask),
                testing::AllOf(HasSubstr(R"("taskId":"sealed-id")"), Not(HasSubstr("own"))));
}

struct ErrorRow {
    const char* what;
    Revision client;
    Verb verb;
    Error error;
    std::int64_t code;  // 0: a result with isError
};

TEST(ErrorsTest, FailuresAreToldInTheClientsTerms) {
    const auto rpc = [](std::int64_t code) { return Error(ErrorCode::kRpc, "peer").rpc({code, "said", ""}); };
    const Revision modern = Revision::k2026_07_28;
    const Revision legacy = Revision::k2025_11_25;
    const std::vector<ErrorRow> rows = {
        {"unknown tool", modern, Verb::kCallTool, Error(ErrorCode::kNotFound, "unknown tool"), -32602},
        {"unknown resource, modern", modern, Verb::kReadResource, Error(ErrorCode::kNotFound, "unknown"), -32602},
        {"unknown resource, legacy", legacy, Verb::kReadResource, Error(ErrorCode::kNotFound, "unknown"), -32002},
        {"bad arguments, modern", modern, Verb::kCallTool, Error(ErrorCode::kSchema, "/a: wrong"), 0},
        {"bad arguments, 2025-06-18", Revision::k2025_06_18, Verb::kCallTool, Error(ErrorCode::kSchema, "x"), -32602},
        {"upstream not found, modern", modern, Verb::kReadResource, rpc(-32002), -32602},
        {"upstream not found, legacy", legacy, Verb::kReadResource, rpc(-32002), -32002},
        {"upstream header mismatch", modern, Verb::kCallTool, rpc(-32020), -32603},
        {"upstream version", legacy, Verb::kCallTool, rpc(-32022), -32603},
        {"upstream capability, modern", modern, Verb::kCallTool, rpc(-32021), -32021},
        {"upstream capability, legacy call", legacy, Verb::kCallTool, rpc(-32021), 0},
        {"upstream capability, legacy prompt", legacy, Verb::kGetPrompt, rpc(-32021), -32603},
        {"url elicitation, 2025-11-25", legacy, Verb::kCallTool, rpc(-32042), -32042},
        {"url elicitation, older", Revision::k2025_06_18, Verb::kCallTool, rpc(-32042), -32603},
        {"application code", modern, Verb::kCallTool, rpc(-1234), -1234},
        {"implementation code", legacy, Verb::kCallTool, rpc(-32000), -32000},
        {"timeout", modern, Verb::kCallTool, Error(ErrorCode::kTimeout, "too slow"), -32603},
        {"down", legacy, Verb::kCallTool, Error(ErrorCode::kConnection, "down"), -32603},
        {"our own header mismatch", modern, Verb::kCallTool,
         Error(ErrorCode::kInvalidArgument, "x").rpc(mcp::header_mismatch("x")), -32020},
    };
    for (const ErrorRow& row : rows) {
        const From from(row.client);
        const mcp::Answer answer = answer_failure(from.call(), row.verb, "thing", row.error, "c-1");
        EXPECT_EQ(answer.error, row.code) << row.what;
        const auto json = Json::parse(answer.message);
        ASSERT_TRUE(json.has_value()) << row.what;
        EXPECT_EQ(json->string_at("id"), "seven");
        if (row.code == 0) {
            EXPECT_EQ(*json->at_pointer("/result/isError"), Json(true)) << row.what;
        }
    }
}

TEST(ErrorsTest, WhatFailedBehindUsSaysWhereAndUnderWhichNumber) {
    const From from(Revision::k2026_07_28);
    const auto answer = answer_failure(from.call(), Verb::kCallTool, "thing",
                                       Error(ErrorCode::kConnection, "down").on_server("shop").retryable(true), "c-1");
    EXPECT_THAT(answer.message, testing::AllOf(HasSubstr(R"("server":"shop")"), HasSubstr(R"("correlationId":"c-1")"),
                                               HasSubstr(R"("retryable":true)")));
}

}  // namespace
}  // namespace gantry::surface
