// The result of a call on its way back: what the transport received, what the source made of it, the answer to the
// client's operation, and JSON. Each layer has a type of its own, so that no step can be left out.

#include <gtest/gtest.h>

#include <concepts>

#include "gantry/json.hpp"
#include "gateway/pipeline/pipeline.hpp"
#include "gateway/sources/mcp/answers.hpp"
#include "mcp/client/client.hpp"
#include "mcp/protocol/errors.hpp"
#include "surface/mcp/encode.hpp"
#include "surface/mcp/errors.hpp"
#include "surface/mcp/test_call.hpp"

namespace gantry::surface {
namespace {

using gateway::Output;
using gateway::Verb;
using mcp::Revision;

template <class Function>
struct Returns;
template <class R, class Class, class... Args>
struct Returns<R (Class::*)(Args...)> {
    using Type = R;
};
template <class R, class... Args>
struct Returns<R (*)(Args...)> {
    using Type = R;
};
template <auto function>
using ResultOf = Returns<decltype(function)>::Type;

// Transport, execution (by the source and behind the whole pipeline), operation.
static_assert(std::same_as<ResultOf<&mcp::Client::relay>, Task<Result<mcp::RelayAnswer>>>);
static_assert(std::same_as<ResultOf<&gateway::Source::execute>, Task<Result<Output>>>);
static_assert(std::same_as<ResultOf<&gateway::Pipeline::run>, Task<Result<Output>>>);
static_assert(std::same_as<ResultOf<&encode>, Result<mcp::Answer>>);
static_assert(std::same_as<ResultOf<&answer_failure>, mcp::Answer>);
static_assert(std::same_as<decltype(mcp::Answer::message), std::string>);
// None of them is accepted in place of another.
static_assert(!std::convertible_to<mcp::RelayAnswer, Output> && !std::convertible_to<Output, mcp::Answer> &&
              !std::convertible_to<mcp::RelayAnswer, mcp::Answer> && !std::convertible_to<std::string, mcp::Answer>);

mcp::RawMessage received(const std::string& text) {
    auto message = mcp::RawMessage::read(text);
    if (!message) ADD_FAILURE() << message.error().to_string();
    return *std::move(message);
}

TEST(ResultLayers, AResultPassesFromTransportToExecutionToOperationToJson) {
    mcp::RelayAnswer transport{
        .message = received(R"({"jsonrpc":"2.0","id":41,"result":{"content":[{"type":"text","text":"5"}]}})"),
        .revision = Revision::k2025_11_25};
    Output execution = gateway::to_output(std::move(transport), {});
    EXPECT_EQ(execution.kind, Output::Kind::kComplete);
    EXPECT_EQ(execution.revision, Revision::k2025_11_25);
    EXPECT_EQ(execution.result(), R"({"content":[{"type":"text","text":"5"}]})");

    const From client(Revision::k2026_07_28);
    const Result<mcp::Answer> operation = encode(client.call(), Verb::kCallTool, std::move(execution), kStamp);
    ASSERT_TRUE(operation) << operation.error().to_string();
    EXPECT_EQ(operation->error, 0);

    const auto json = Json::parse(operation->message);
    ASSERT_TRUE(json) << operation->message;
    EXPECT_EQ(json->string_at("id"), "seven") << "the client's id, not the transport's";
    EXPECT_EQ(*json->at_pointer("/result/content/0/text"), Json("5"));
    EXPECT_EQ(json->find("result")->string_at("resultType"), "complete") << "in the terms of the client's revision";
}

TEST(ResultLayers, AnErrorPassesThroughTheSameLayers) {
    const mcp::RawMessage transport =
        received(R"({"jsonrpc":"2.0","id":41,"error":{"code":-1234,"message":"out of paper","data":{"tray":2}}})");
    ASSERT_TRUE(transport.error());
    const Result<Output> execution = fail(mcp::to_error(*transport.error(), "tools/call"));
    ASSERT_FALSE(execution);

    const From client(Revision::k2026_07_28);
    const mcp::Answer operation =
        answer_failure(client.call(), Verb::kCallTool, "print", execution.error(), "correlation");
    EXPECT_EQ(operation.error, -1234);

    const auto json = Json::parse(operation.message);
    ASSERT_TRUE(json) << operation.message;
    EXPECT_EQ(json->string_at("id"), "seven");
    EXPECT_EQ(json->find("error")->string_at("message"), "out of paper");
    EXPECT_EQ(*json->at_pointer("/error/data/tray"), Json(2));
}

}  // namespace
}  // namespace gantry::surface
