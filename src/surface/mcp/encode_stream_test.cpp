#include "surface/mcp/encode_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop.hpp"
#include "surface/mcp/test_call.hpp"

namespace gantry::surface {
namespace {

using gateway::Output;
using gateway::Verb;
using mcp::Revision;
using enum mcp::Revision;

constexpr const char* kOurs = R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"gantry","version":"0"}})";

/// Returns a result in pieces.
class Pieces final : public gateway::OutputStream {
public:
    Pieces(std::string text, std::size_t step) : text_(std::move(text)), step_(step) {}
    Task<Result<std::optional<std::string_view>>> next(const Context&) override {
        using Piece = std::optional<std::string_view>;
        if (at_ >= text_.size()) co_return Piece();
        piece_ = text_.substr(std::exchange(at_, at_ + step_), step_);
        co_return Piece(piece_);
    }

private:
    std::string text_;
    std::size_t step_;
    std::size_t at_ = 0;
    std::string piece_;
};

Task<std::string> drain(mcp::Answer answer) {
    std::string text = std::move(answer.message);
    for (;;) {
        auto piece = co_await answer.rest->next(Context::background());
        if (!piece) co_return "broken: " + piece.error().message();
        if (!*piece) break;
        EXPECT_FALSE((*piece)->empty());
        text += **piece;
    }
    co_return text;
}

/// The result inside the answer; the same however it is split.
std::string streamed(Revision client, Revision source, const std::string& result, Verb verb = Verb::kCallTool,
                     const std::string& tool = {}) {
    Loop loop;
    const From from(client);
    std::string all;
    for (const std::size_t step : {1u, 2u, 7u, 1000u}) {
        gateway::Item item;
        Output output;
        output.revision = source;
        output.stream = std::make_unique<Pieces>(result, step);
        if (!tool.empty()) {
            item.text = tool;
            output.item = &item;
        }
        auto answer = encode(from.call(), verb, std::move(output), kStamp);
        if (!answer) return answer.error().to_string();
        std::string text = loop.run_until_done(drain(*std::move(answer)));
        if (!all.empty()) EXPECT_EQ(text, all) << step;
        all = std::move(text);
    }
    constexpr std::string_view kHead = R"({"jsonrpc":"2.0","id":"seven","result":)";
    if (!all.starts_with(kHead)) return all;
    return all.substr(kHead.size(), all.size() - kHead.size() - 1);
}

TEST(EncodeStreamTest, AModernClientIsToldThatWeAnswer) {
    EXPECT_EQ(streamed(k2026_07_28, k2026_07_28,
                       R"({"content":[ 1.50 ],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":)"
                       R"({"name":"spoof"},"vendor/key":7,"io.modelcontextprotocol/subscriptionId":3}, "x":"é"})"),
              R"({"content":[ 1.50 ],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":)"
              R"({"name":"gantry","version":"0"},"vendor/key":7}, "x":"é"})");
    EXPECT_EQ(streamed(k2026_07_28, k2026_07_28, R"({"resultType":"complete","content":[],"_meta":null})"),
              R"({"resultType":"complete","content":[],)" + std::string(kOurs) + "}");
}

TEST(EncodeStreamTest, AModernClientGetsWhatALegacyServerDoesNotSay) {
    EXPECT_EQ(streamed(k2026_07_28, k2025_11_25, R"({"content":[1,2]})"),
              R"({"content":[1,2],"resultType":"complete",)" + std::string(kOurs) + "}");
    EXPECT_EQ(streamed(k2026_07_28, k2025_11_25, R"({"structuredContent":[1]})"),
              R"({"structuredContent":[1],"content":[],"resultType":"complete",)" + std::string(kOurs) + "}");
    EXPECT_EQ(streamed(k2026_07_28, k2025_11_25, R"({"contents":[]})", Verb::kReadResource),
              R"({"contents":[],"resultType":"complete","ttlMs":0,"cacheScope":"private",)" + std::string(kOurs) + "}");
    EXPECT_EQ(
        streamed(k2026_07_28, k2026_07_28, R"({"ttlMs":5,"contents":[],"cacheScope":"public"})", Verb::kReadResource),
        R"({"ttlMs":5,"contents":[],"cacheScope":"public","resultType":"complete",)" + std::string(kOurs) + "}");
}

TEST(EncodeStreamTest, NothingModernLeaksToALegacyClient) {
    EXPECT_EQ(streamed(k2025_11_25, k2026_07_28,
                       R"({"\u0072esultType":"complete", "ttlMs":5,"contents":["resultType"],"cacheScope":"public",)"
                       R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"},"vendor/key":7,)"
                       R"("io.modelcontextprotocol/logLevel":"info"}})",
                       Verb::kReadResource),
              R"({"contents":["resultType"],"_meta":{"vendor/key":7}})");
    const std::string large = "{\"vendor/key\":\"" + std::string(100'000, 'v') + "\"}";
    EXPECT_EQ(streamed(k2025_11_25, k2026_07_28, R"({"content":[],"_meta":)" + large + "}"), R"({"content":[]})")
        << "too large to be looked into";
}

TEST(EncodeStreamTest, LegacyToLegacyKeepsEveryByteUnlessTheClientIsOlder) {
    const std::string result = R"({ "content":[],"structuredContent":{"a":1.0},"resultType":7,"_meta":{"k":{}} })";
    EXPECT_EQ(streamed(k2025_11_25, k2025_11_25, result), result);
    EXPECT_EQ(streamed(k2025_11_25, k2025_06_18, result), result);
    EXPECT_EQ(streamed(k2025_03_26, k2025_11_25, R"({"structuredContent":{"a":1.0},"_meta":{"k":{}}})"),
              R"({"_meta":{"k":{}},"content":[]})");
}

TEST(EncodeStreamTest, StructuredContentIsWrappedForLegacyClientsAsItsSchemaIs) {
    const std::string tool = R"({"name":"x","outputSchema":{"type":)";
    EXPECT_EQ(streamed(k2025_11_25, k2026_07_28, R"({"content":[],"structuredContent":[1,{"a":2}]})"),
              R"({"content":[],"structuredContent":{"result":[1,{"a":2}]}})");
    EXPECT_EQ(streamed(k2025_06_18, k2026_07_28, R"({"content":[],"structuredContent":{"a":2}})"),
              R"({"content":[],"structuredContent":{"a":2}})");
    EXPECT_EQ(streamed(k2025_06_18, k2026_07_28, R"({"content":[],"structuredContent":{"a":2}})", Verb::kCallTool,
                       tool + R"(["object","null"]}})"),
              R"({"content":[],"structuredContent":{"result":{"a":2}}})");
    EXPECT_EQ(streamed(k2025_06_18, k2026_07_28, R"({"content":[],"structuredContent":{"a":2}})", Verb::kCallTool,
                       tool + R"("object"}})"),
              R"({"content":[],"structuredContent":{"a":2}})");
}

TEST(EncodeStreamTest, OnlyACompleteObjectPassesWhole) {
    for (const Revision client : {k2026_07_28, k2025_11_25}) {
        for (const char* type : {R"("input_required")", R"("task")", "1"}) {
            EXPECT_EQ(streamed(client, k2026_07_28,
                               R"({"inputRequests":{},"requestState":"s","resultType":)" + std::string(type) + "}"),
                      "broken: the server's large result is not a complete one");
        }
        EXPECT_EQ(streamed(client, k2026_07_28, "[1,2,3]"), "broken: the server's result is not an object");
    }
    EXPECT_EQ(streamed(k2025_11_25, k2025_11_25, "[1,2,3]"), "broken: the server's result is not an object");
}

}  // namespace
}  // namespace gantry::surface
