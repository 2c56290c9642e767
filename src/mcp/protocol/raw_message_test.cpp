#include "mcp/protocol/raw_message.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gantry::mcp {
namespace {

std::string verdict(const auto& result) {
    return result ? std::string("accepted")
                  : std::string(to_string(result.error().code())) + ": " + result.error().message();
}

TEST(RawMessage, SaysTheSameAsTheTreeAboutEveryText) {
    const char* texts[] = {
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})",
        R"({"jsonrpc":"2.0","id":"a","method":"ping"})",
        R"({"jsonrpc":"2.0","id":0,"method":"ping","params":null})",
        R"({"jsonrpc":"2.0","method":"notifications/x","params":{}})",
        R"({"jsonrpc":"2.0","method":"notifications/x","params":[]})",
        R"({"jsonrpc":"2.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":1,"result":null})",
        R"({"jsonrpc":"2.0","id":1,"result":{},"error":null})",
        R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-1,"message":"no"}})",
        R"({"jsonrpc":"2.0","id":1,"result":1,"error":{"code":-1,"message":"no"}})",
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}})",
        R"({"jsonrpc":"2.0","error":{"code":-1}})",
        R"({"jsonrpc":"2.0","error":{"code":"x"}})",
        R"({"jsonrpc":"2.0","error":{"code":-1,"message":3}})",
        R"({"jsonrpc":"2.0","error":7})",
        R"({"jsonrpc":"2.0","result":{}})",
        R"({"jsonrpc":"2.0","id":null,"result":{}})",
        R"({"jsonrpc":"2.0","id":1.0,"result":{}})",
        R"({"jsonrpc":"2.0","id":-0,"result":{}})",
        R"({"jsonrpc":"2.0","id":99999999999999999999,"result":{}})",
        R"({"jsonrpc":"2.0","id":null,"method":"x"})",
        R"({"jsonrpc":"2.0","id":1,"method":7})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","result":{}})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","result":null,"error":null})",
        R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"1.0","id":1,"result":{}})",
        R"({"jsonrpc":"\u0032.0","id":1,"result":{}})",
        R"({"id":1,"result":{}})",
        R"([{"jsonrpc":"2.0","id":1,"result":{}}])",
        R"("text")",
        R"({"jsonrpc":"2.0","id":1,"id":2,"result":{}})",
        "",
        "{",
        "\xff",
    };
    for (const char* text : texts) EXPECT_EQ(verdict(RawMessage::read(text)), verdict(decode_message(text))) << text;
}

TEST(RawMessage, TellsRequestsNotificationsAndAnswersApart) {
    const auto request = RawMessage::read(R"({"jsonrpc":"2.0","id":0,"method":"m"})");
    ASSERT_TRUE(request);
    EXPECT_TRUE(request->is_request() && !request->is_notification() && !request->is_response());
    const auto note = RawMessage::read(R"({"jsonrpc":"2.0","method":"m"})");
    ASSERT_TRUE(note);
    EXPECT_TRUE(note->is_notification() && !note->is_request());
    EXPECT_FALSE(note->id());
    const auto answer = RawMessage::read(R"({"jsonrpc":"2.0","id":"7","result":{"a":1}})");
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->is_response());
    EXPECT_EQ(answer->id(), RequestId("7"));
    EXPECT_FALSE(answer->is_about(7));
    EXPECT_TRUE(request->is_about(0));
    EXPECT_FALSE(answer->error());
}

TEST(RawMessage, NullsThatMeanAbsentAreAbsentInTheView) {
    const auto failed = RawMessage::read(
        R"({"jsonrpc":"2.0","id":null,"result":null,"error":{"code":-5,"message":"m","data":[1.50]}})");
    ASSERT_TRUE(failed);
    EXPECT_FALSE(failed->view().id);
    EXPECT_FALSE(failed->view().result);
    const auto error = failed->error();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, -5);
    EXPECT_EQ(error->data, "[1.50]");
    const auto done = RawMessage::read(R"({"jsonrpc":"2.0","id":3,"result":null,"error":null})");
    ASSERT_TRUE(done);
    EXPECT_TRUE(done->view().result);
    EXPECT_FALSE(done->view().error);
    EXPECT_TRUE(done->is_about(3));
    EXPECT_FALSE(done->is_about(33));
}

TEST(RawMessage, ViewsSurviveMoving) {
    auto read = RawMessage::read(R"({"jsonrpc":"2.0","id":12,"result":{"x":1e400,"y":"A"}})");
    ASSERT_TRUE(read);
    std::vector<RawMessage> kept;
    for (int i = 0; i < 5; ++i) {
        kept.push_back(std::exchange(*read, RawMessage()));
        *read = std::move(kept.back());
        kept.pop_back();
    }
    const RawMessage moved(*std::move(read));
    EXPECT_EQ(moved.view().result.raw(), R"({"x":1e400,"y":"A"})");
    EXPECT_EQ(moved.view().result.raw().data(), moved.text().data() + moved.text().find('{', 1));
    EXPECT_TRUE(moved.decode());
}

}  // namespace
}  // namespace gantry::mcp
