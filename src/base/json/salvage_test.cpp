#include "base/json/salvage.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gantry::json {
namespace {

EnvelopeSalvage salvaged(std::string_view text) {
    EnvelopeSalvage salvage;
    salvage.feed(text);
    return salvage;
}

TEST(JsonSalvage, FindsTheIdOnEitherSideOfWhatIsBroken) {
    const std::string deep = std::string(5000, '[') + std::string(5000, ']');
    EXPECT_EQ(salvaged(R"({"jsonrpc":"2.0","id":7,"result":)" + deep + "}").id(), "7");
    EXPECT_EQ(salvaged(R"({"result":)" + deep + R"(,"jsonrpc":"2.0","id":8})").id(), "8");
    EXPECT_EQ(salvaged(R"({"result":{"a":"\ud83d"},"id" : "x-1" ,"jsonrpc":"2.0"})").id(), R"("x-1")");
    EXPECT_EQ(salvaged("{\"result\":\"\xff\xfe\",\"id\":-3}").id(), "-3");
    EXPECT_EQ(salvaged(R"({"id":5,"result":{"cut off)").id(), "5");
}

TEST(JsonSalvage, KnowsAnswersFromCalls) {
    EXPECT_TRUE(salvaged(R"({"id":1,"result":{)").is_answer());
    EXPECT_TRUE(salvaged(R"({"error":{"code":1},"id":1})").is_answer());
    EXPECT_FALSE(salvaged(R"({"id":1,"method":"ping","result":1})").is_answer());
    EXPECT_TRUE(salvaged(R"({"id":1,"method":"ping"})").has_method());
    EXPECT_FALSE(salvaged(R"({"level":"info","message":"hello"})").is_answer());
    EXPECT_FALSE(salvaged("plain text").is_answer());
}

TEST(JsonSalvage, LooksOnlyAtTheOutermostObject) {
    EXPECT_EQ(salvaged(R"({"result":{"id":1,"method":"m"},"id":2})").id(), "2");
    EXPECT_FALSE(salvaged(R"({"result":{"method":"m"},"id":2})").has_method());
    EXPECT_EQ(salvaged(R"({"result":"\"id\":9,","id":2})").id(), "2");
    EXPECT_EQ(salvaged(R"([{"id":1,"result":1}])").id(), "");
    EXPECT_EQ(salvaged(R"({"id":{"a":1},"result":1})").id(), "");
    EXPECT_EQ(salvaged(R"({"a":"id","result":4})").id(), "");
}

TEST(JsonSalvage, TakesPiecesCutAnywhere) {
    const std::string text = R"({"result":{"x":"\\\"","y":[{}]},"jsonrpc":"2.0","id":"a\"b"})";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        EnvelopeSalvage salvage;
        salvage.feed(std::string_view(text).substr(0, cut));
        salvage.feed(std::string_view(text).substr(cut));
        EXPECT_EQ(salvage.id(), R"("a\"b")") << cut;
        EXPECT_TRUE(salvage.is_answer()) << cut;
    }
}

TEST(JsonSalvage, KeepsNoLongIdsAndNoLongKeys) {
    EXPECT_EQ(salvaged("{\"" + std::string(100'000, 'k') + "\":1,\"id\":\"" + std::string(100'000, 'i') + "\"}").id(),
              "");
}

}  // namespace
}  // namespace gantry::json
