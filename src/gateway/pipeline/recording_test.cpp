#include <gmock/gmock.h>

#include "gateway/pipeline/pipeline_rig.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kBuy = R"({"name":"buy","inputSchema":{"type":"object"}})";
constexpr const char* kBuyOne = R"({"params":{"name":"buy","arguments":{"count":1}}})";

class RecordingTest : public testing::Test {
protected:
    Result<Output> call(const std::string& message = kBuyOne, std::string name = "buy") {
        return loop_.run_until_done(rig.call(message, std::move(name)));
    }
    Loop loop_;
    PipelineRig rig{{kBuy}};
};

TEST_F(RecordingTest, AToolThatSaysItFailedIsRecordedAsFailed) {
    rig.source->on_call = [](const AdmittedCall&) -> Result<Output> {
        return make_output(R"({"content":[],"isError":true})", mcp::kLatestRevision);
    };
    ASSERT_TRUE(call().has_value());
    EXPECT_TRUE(rig.recorder.last.tool_failed);
    EXPECT_EQ(rig.recorder.last.error, nullptr);
    EXPECT_EQ(rig.recorder.last.arguments.size(), 11u);
    EXPECT_GT(rig.recorder.last.took, Duration(0));
}

TEST_F(RecordingTest, ATimeoutIsRecordedOnce) {
    rig.source->on_call = [](const AdmittedCall&) -> Result<Output> { return fail(ErrorCode::kTimeout, "late"); };
    EXPECT_FALSE(call().has_value());
    ASSERT_EQ(rig.recorder.records.size(), 1u);
    EXPECT_EQ(rig.recorder.records[0].error, ErrorCode::kTimeout);
}

TEST_F(RecordingTest, AnAnswerWaitsForItsRecordOnlyWhenTold) {
    ASSERT_TRUE(call().has_value());
    EXPECT_THAT(rig.recorder.waited_for, IsEmpty());
    rig.recorder.ticket = 7;
    ASSERT_TRUE(call().has_value());
    EXPECT_THAT(rig.recorder.waited_for, ElementsAre(7u));
}

TEST_F(RecordingTest, AnAnswerThatCouldNotBeRecordedIsWithheld) {
    rig.recorder.ticket = 7;
    rig.recorder.withheld = Error(ErrorCode::kInternal, "could not be recorded");
    const auto output = call();
    ASSERT_FALSE(output.has_value());
    EXPECT_THAT(output.error().message(), HasSubstr("could not be recorded"));
    EXPECT_EQ(rig.source->calls.size(), 1u) << "it did run";
}

TEST_F(RecordingTest, NothingRunsWhileNothingCanBeRecorded) {
    rig.recorder.refused = Error(ErrorCode::kInternal, "cannot be recorded");
    const auto output = call();
    ASSERT_FALSE(output.has_value());
    EXPECT_THAT(rig.source->calls, IsEmpty());
    EXPECT_EQ(rig.recorder.records.size(), 1u) << "the refusal is an outcome too";
}

TEST_F(RecordingTest, ACallThatCouldNotBeReadIsRecordedToo) {
    rig.pipeline.turned_away({.verb = Verb::kReadResource,
                              .name = {},
                              .client = rig.traits,
                              .snapshot = *rig.snapshot,
                              .correlation_id = "c9"},
                             Principal{.id = "alice"},
                             Error(ErrorCode::kInvalidArgument, "params.uri must be a string"));
    ASSERT_EQ(rig.recorder.records.size(), 1u);
    EXPECT_EQ(rig.recorder.records[0].principal, "alice");
    EXPECT_EQ(rig.recorder.records[0].error, ErrorCode::kInvalidArgument);
    EXPECT_EQ(rig.recorder.last.verb, Verb::kReadResource);
}

TEST_F(RecordingTest, CountsWhatRuns) {
    EXPECT_EQ(rig.pipeline.running(), 0u);
    std::size_t inside = 0;
    rig.source->on_call = [&](const AdmittedCall&) -> Result<Output> {
        inside = rig.pipeline.running();
        return make_output("{}", mcp::kLatestRevision);
    };
    ASSERT_TRUE(call().has_value());
    EXPECT_EQ(inside, 1u);
    EXPECT_EQ(rig.pipeline.running(), 0u);
}

/// Rejects all callers.
class NoTrust final : public Authenticator {
public:
    Task<Result<std::shared_ptr<const Principal>>> authenticate(const Context&, const Credentials&) override {
        co_return fail(ErrorCode::kUnauthorized, "the token has expired");
    }
};

class Heard final : public EventSink {
public:
    bool listening() const noexcept override { return true; }
    void publish(const GatewayEvent& event) noexcept override {
        events.push_back(std::string(event.type) + " " + std::string(event.subject) + " " + Json(event.data).dump());
    }
    std::vector<std::string> events;
};

Task<bool> is_let_in(Pipeline& pipeline) {
    const Credentials credentials{.authorization = "Bearer secret-token", .peer_address = "10.0.0.7"};
    co_return (co_await pipeline.identify(Context::background(), credentials)).has_value();
}

TEST_F(RecordingTest, ARefusedCallerIsAnEventThatDoesNotShowWhatItBrought) {
    NoTrust nobody;
    Heard heard;
    auth::Sealer sealer = *auth::Sealer::ephemeral();
    Pipeline pipeline({.authenticator = nobody, .sealer = sealer, .recorder = rig.recorder, .events = &heard}, {});
    EXPECT_FALSE(loop_.run_until_done(is_let_in(pipeline)));
    EXPECT_THAT(heard.events, ElementsAre(R"(gantry.authentication.failed.v1 10.0.0.7 {"reason":"unauthorized"})"));
}

}  // namespace
}  // namespace gantry::gateway
