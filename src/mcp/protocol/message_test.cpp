#include "mcp/protocol/message.hpp"

#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

template <class T>
T expect_message(std::string_view text) {
    auto message = decode_message(text);
    EXPECT_TRUE(message) << text << ": " << (message ? "" : message.error().message());
    if (!message || !std::holds_alternative<T>(*message)) {
        ADD_FAILURE() << "another kind of message: " << text;
        return {};
    }
    return std::get<T>(*std::move(message));
}

ResponseMessage expect_response(std::string_view text) {
    auto message = decode_message(text);
    if (!message || !std::holds_alternative<ResponseMessage>(*message)) {
        ADD_FAILURE() << "no response: " << text;
        return {{}, Json()};
    }
    return std::get<ResponseMessage>(*std::move(message));
}

TEST(Message, TellsRequestNotificationAndResponseApart) {
    const auto request = expect_message<RequestMessage>(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    EXPECT_EQ(request.id, RequestId(1));
    EXPECT_TRUE(request.params.is_null());
    const auto note = expect_message<NotificationMessage>(R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})");
    EXPECT_EQ(note.params.dump(), R"({"a":1})");
    const auto response = expect_response(R"({"jsonrpc":"2.0","id":"x","result":{}})");
    EXPECT_EQ(response.id, RequestId("x"));
    EXPECT_TRUE(response.outcome.has_value());
}

TEST(Message, TakesZeroAndEmptyTextAsRealIds) {
    EXPECT_EQ(expect_message<RequestMessage>(R"({"jsonrpc":"2.0","id":0,"method":"m"})").id, RequestId(0));
    EXPECT_EQ(expect_message<RequestMessage>(R"({"jsonrpc":"2.0","id":"","method":"m"})").id, RequestId(""));
}

TEST(Message, KeepsIdsBeyondDoublePrecisionExactly) {
    const auto request = expect_message<RequestMessage>(R"({"jsonrpc":"2.0","id":9007199254740993,"method":"m"})");
    EXPECT_EQ(encode_message(request), R"({"jsonrpc":"2.0","id":9007199254740993,"method":"m"})");
}

TEST(Message, RefusesWhatIsNotJsonRpc) {
    for (const std::string_view text : {
             R"([])",
             R"("x")",
             R"({})",
             R"({"jsonrpc":"1.0","id":1,"method":"m"})",
             R"({"id":1,"method":"m"})",
             R"({"jsonrpc":"2.0","id":null,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1.0,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1e2,"method":"m"})",
             R"({"jsonrpc":"2.0","id":-0,"method":"m"})",
             R"({"jsonrpc":"2.0","id":9223372036854775808,"method":"m"})",
             R"({"jsonrpc":"2.0","id":true,"method":"m"})",
             R"({"jsonrpc":"2.0","id":{},"method":"m"})",
             R"({"jsonrpc":"2.0","id":1,"method":2})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","params":"x"})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})",
             R"({"jsonrpc":"2.0","id":1})",
             R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}})",
             R"({"jsonrpc":"2.0","id":null,"result":{}})",
             R"({"jsonrpc":"2.0","result":{}})",
             R"({"jsonrpc":"2.0","id":1,"error":{"message":"m"}})",
             R"({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}})",
             R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":2}})",
             R"({"jsonrpc":"2.0","id":1,"error":"m"})",
         }) {
        const auto message = decode_message(text);
        ASSERT_FALSE(message) << text;
        EXPECT_EQ(message.error().code(), ErrorCode::kProtocol) << text;
    }
    EXPECT_EQ(decode_message("{").error().code(), ErrorCode::kParse);
}

TEST(Message, AcceptsWhatCarelessPeersSend) {
    const auto unread = expect_response(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}})");
    EXPECT_FALSE(unread.id);
    EXPECT_FALSE(expect_response(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}})").id);
    EXPECT_TRUE(expect_response(R"({"jsonrpc":"2.0","id":1,"result":{},"error":null})").outcome.has_value());
    EXPECT_FALSE(expect_response(R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1}})").outcome.has_value());
    EXPECT_TRUE(
        expect_message<NotificationMessage>(R"({"jsonrpc":"2.0","method":"n","params":null})").params.is_null());
}

TEST(Message, CarriesErrorDataAsItCame) {
    const std::string text =
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["a"],"n":1.50}}})";
    const auto response = expect_response(text);
    ASSERT_FALSE(response.outcome);
    EXPECT_EQ(response.outcome.error().data, R"({"supported":["a"],"n":1.50})");
    EXPECT_EQ(encode_message(response), text);
}

TEST(Message, EncodesOneLineWhateverIsInside) {
    const std::string line = encode_message(NotificationMessage{"a\nb", JsonObject{{"k\n", "v\r\n"}}});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(expect_message<NotificationMessage>(line).method, "a\nb");
}

TEST(Message, DecodesBatchesInOrderAndRefusesEmptyOnes) {
    const auto batch = decode_messages(R"([{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}])");
    ASSERT_TRUE(batch);
    ASSERT_EQ(batch->size(), 2U);
    EXPECT_TRUE(std::holds_alternative<NotificationMessage>((*batch)[1]));
    EXPECT_EQ(decode_messages(R"({"jsonrpc":"2.0","method":"b"})")->size(), 1U);
    EXPECT_FALSE(decode_messages("[]"));
    EXPECT_FALSE(decode_messages("[[]]"));
    EXPECT_FALSE(decode_messages(R"([{"jsonrpc":"2.0","method":"b"},1])"));
}

TEST(Message, TextOfIdsDistinguishesOneFromItsText) {
    EXPECT_EQ(to_text(RequestId(1)), "1");
    EXPECT_EQ(to_text(RequestId("1")), "\"1\"");
}

TEST(Revision, KnowsItsNames) {
    for (const Revision revision : kAllRevisions) EXPECT_EQ(parse_revision(to_string(revision)), revision);
    EXPECT_EQ(parse_revision("2024-10-07"), Revision::k2024_11_05);
    EXPECT_FALSE(parse_revision("2025-01-01"));
    EXPECT_FALSE(parse_revision(""));
}

}  // namespace
}  // namespace gantry::mcp
