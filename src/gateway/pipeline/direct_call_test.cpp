#include "gateway/pipeline/direct_call.hpp"

#include <gtest/gtest.h>

#include "gateway/pipeline/pipeline_rig.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kAdd =
    R"({"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}})";

class DirectCallTest : public testing::Test {
protected:
    Result<DirectOutcome> call(DirectCall call, std::size_t most = 1u << 20) {
        const auto principal = std::make_shared<const Principal>(Principal{.id = "agent"});
        const ClientTraits client;
        SilentLine line;
        const DirectCaller caller{.principal = principal, .client = client, .snapshot = rig.snapshot, .line = line};
        return loop.run_until_done(call_directly(Context::background(), rig.pipeline, caller, std::move(call), most));
    }

    Loop loop;
    PipelineRig rig{{kAdd}};
};

TEST_F(DirectCallTest, RunsAToolByItsNameWithAnObject) {
    rig.source->on_call = [](const AdmittedCall&) {
        return Result<Output>(make_output(R"({"content":[],"structuredContent":{"sum":3}})", mcp::kLatestRevision));
    };
    const auto outcome = call({.name = "add", .arguments = {{"a", 1}}, .correlation_id = "c7"});
    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_EQ(outcome->kind, Output::Kind::kComplete);
    EXPECT_EQ(outcome->result.at_pointer("/structuredContent/sum")->as_int(), 3);
    EXPECT_FALSE(outcome->is_error);
    ASSERT_EQ(rig.source->calls.size(), 1u);
    EXPECT_EQ(rig.source->calls[0].principal, "agent");
    EXPECT_EQ(rig.source->calls[0].params, R"({"name":"add","arguments":{"a":1}})");
    ASSERT_EQ(rig.recorder.records.size(), 1u);
    EXPECT_EQ(rig.recorder.records[0].principal, "agent");
}

TEST_F(DirectCallTest, IsGuardedLikeEveryCall) {
    const auto wrong = call({.name = "add", .arguments = {{"a", "one"}}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code(), ErrorCode::kSchema);
    const auto unknown = call({.name = "ad"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), ErrorCode::kNotFound);
    rig.policy->forbidden = "add";
    EXPECT_EQ(call({.name = "add", .arguments = {{"a", 1}}}).error().code(), ErrorCode::kNotFound);
    EXPECT_TRUE(rig.source->calls.empty());
    EXPECT_EQ(rig.recorder.records.size(), 3u) << "refused calls are recorded too";
}

TEST_F(DirectCallTest, AToolsOwnErrorIsAnOutcome) {
    rig.source->on_call = [](const AdmittedCall&) {
        return Result<Output>(make_output(R"({"content":[],"isError":true})", mcp::kLatestRevision));
    };
    const auto outcome = call({.name = "add", .arguments = {{"a", 1}}});
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->is_error);
}

TEST_F(DirectCallTest, AQuestionIsAnOutcomeWhoseStateContinuesTheCall) {
    rig.source->on_call = [](const AdmittedCall& now) -> Result<Output> {
        if (now.resume_state()) return make_output(R"({"content":[]})", mcp::kLatestRevision);
        Output asks;
        asks.kind = Output::Kind::kInputRequired;
        asks.questions = R"({"q1":{"method":"elicitation/create","params":{}}})";
        asks.state = "waiting at step two";
        return asks;
    };
    auto asked = call({.name = "add", .arguments = {{"a", 1}}});
    ASSERT_TRUE(asked) << asked.error().message();
    ASSERT_EQ(asked->kind, Output::Kind::kInputRequired);
    EXPECT_NE(asked->result.find("q1"), nullptr);
    ASSERT_TRUE(asked->state);
    EXPECT_EQ(asked->state->find("step two"), std::string::npos) << "the state is sealed";
    const auto done = call({.name = "add",
                            .arguments = {{"a", 1}},
                            .state = asked->state,
                            .answers = {{"q1", JsonObject{{"action", "accept"}}}}});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->kind, Output::Kind::kComplete);
    EXPECT_EQ(rig.source->calls.back().resume, "waiting at step two");
    EXPECT_FALSE(call({.name = "add", .arguments = {{"a", 2}}, .state = asked->state})) << "other arguments";
}

/// A result in two pieces.
class TwoPieces final : public OutputStream {
public:
    Task<Result<std::optional<std::string_view>>> next(const Context&) override {
        ++read_;
        if (read_ == 1) co_return std::optional<std::string_view>(R"({"content":[],)");
        if (read_ == 2) co_return std::optional<std::string_view>(R"("big":true})");
        co_return std::optional<std::string_view>();
    }

private:
    int read_ = 0;
};

TEST_F(DirectCallTest, AStreamedResultIsReadWithinABound) {
    rig.source->on_call = [](const AdmittedCall&) -> Result<Output> {
        Output output;
        output.stream = std::make_unique<TwoPieces>();
        return output;
    };
    const auto whole = call({.name = "add", .arguments = {{"a", 1}}});
    ASSERT_TRUE(whole) << whole.error().message();
    EXPECT_NE(whole->result.find("big"), nullptr);
    const auto cut = call({.name = "add", .arguments = {{"a", 1}}}, 16);
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code(), ErrorCode::kLimit);
}

}  // namespace
}  // namespace gantry::gateway
