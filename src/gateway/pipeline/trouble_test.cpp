// How the pipeline handles sources that fail, hang, are busy or are called too often.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/pipeline/pipeline_rig.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {
namespace {

using testing::HasSubstr;

constexpr const char* kBuy = R"({"name":"buy","inputSchema":{"type":"object","required":["count"]}})";
const std::string kBuyOne = R"({"params":{"name":"buy","arguments":{"count":1}}})";

class Heard final : public Observer {
public:
    void breaker_changed(const BreakerChange& change) noexcept override {
        moves.push_back(std::string(change.source) + " " + std::string(to_string(change.to)));
    }
    std::vector<std::string> moves;
};

class TroubleTest : public testing::Test {
public:
    explicit TroubleTest(SourceLimits limits = {})
        : rig({kBuy}, {}, {.sources = {{"shop", std::move(limits)}}, .observer = &heard}) {}

    Result<Output> call() { return loop_.run_until_done(rig.call(kBuyOne, "buy")); }
    void fails_with(ErrorCode code) {
        rig.source->on_call = [code](const AdmittedCall&) { return Result<Output>(fail(code, "for the test")); };
    }
    void works() {
        rig.source->on_call = [](const AdmittedCall&) {
            return Result<Output>(make_output(R"({"content":[]})", mcp::kLatestRevision));
        };
    }
    Json data_of(const Result<Output>& output) {
        if (output || output.error().rpc() == nullptr) return {};
        return *Json::parse(output.error().rpc()->data);
    }

    Loop loop_;
    Heard heard;
    PipelineRig rig;
};

TEST_F(TroubleTest, AfterFiveTimeoutsASourceIsLeftAloneAndCallersAreToldForHowLong) {
    fails_with(ErrorCode::kTimeout);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(call().error().code(), ErrorCode::kTimeout);
    works();
    const auto refused = call();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), ErrorCode::kConnection);
    EXPECT_THAT(refused.error().message(), HasSubstr("'shop'"));
    const Json data = data_of(refused);
    EXPECT_EQ(data.string_at("reason"), "circuit_open");
    EXPECT_GT(*data.find("retryAfterMs")->as_int(), 20'000);
    EXPECT_LE(*data.find("retryAfterMs")->as_int(), 30'000);
    EXPECT_EQ(rig.source->calls.size(), 5u) << "nothing reached it";
    EXPECT_EQ(rig.recorder.records.size(), 6u) << "refusals are recorded too";
    EXPECT_THAT(heard.moves, testing::ElementsAre("shop open"));
    EXPECT_EQ(rig.gates.status().at(0).breaker, BreakerState::kOpen);
}

TEST_F(TroubleTest, ResetByHandLetsCallsThroughAtOnce) {
    fails_with(ErrorCode::kTimeout);
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(call().has_value());
    works();
    ASSERT_TRUE(rig.gates.reset("shop").has_value());
    EXPECT_TRUE(call().has_value());
    EXPECT_THAT(heard.moves, testing::ElementsAre("shop open", "shop closed"));
}

TEST_F(TroubleTest, FailedToolsRefusedCallsAndSourcesThatAreStillStartingDoNotCount) {
    rig.source->on_call = [](const AdmittedCall&) {
        return Result<Output>(make_output(R"({"content":[],"isError":true})", mcp::kLatestRevision));
    };
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(call().has_value());
    const std::string empty = R"({"params":{"name":"buy","arguments":{}}})";
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(loop_.run_until_done(rig.call(empty, "buy")).error().code(), ErrorCode::kSchema);
    rig.source->on_call = [](const AdmittedCall&) {
        return Result<Output>(fail(Error(ErrorCode::kRpc, "no").rpc({.code = -32603, .message = "no"})));
    };
    for (int i = 0; i < 10; ++i) EXPECT_EQ(call().error().code(), ErrorCode::kRpc);
    rig.source->standing = SourceState::kStarting;
    fails_with(ErrorCode::kConnection);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(call().error().code(), ErrorCode::kConnection);
    rig.source->standing = SourceState::kReady;
    works();
    EXPECT_TRUE(call().has_value());
    EXPECT_TRUE(heard.moves.empty());
}

class QuickBreakerTest : public TroubleTest {
protected:
    QuickBreakerTest() : TroubleTest({.breaker = {.recovery = milliseconds(30)}}) {}
};

TEST_F(QuickBreakerTest, TestsTheSourceByItselfAfterAWhileAndClosesWhenItAnswers) {
    fails_with(ErrorCode::kProtocol);
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(call().has_value());
    ASSERT_EQ(rig.gates.status().at(0).breaker, BreakerState::kOpen);
    while (rig.gates.status().at(0).breaker == BreakerState::kOpen)
        loop_.run_until_done(
            []() -> Task<void> { (void)co_await sleep_for(Context::background(), milliseconds(5)); }());
    EXPECT_THAT(heard.moves, testing::ElementsAre("shop open", "shop half-open")) << "without any call";
    works();
    EXPECT_TRUE(call().has_value());
    EXPECT_THAT(heard.moves, testing::ElementsAre("shop open", "shop half-open", "shop closed"));
}

class BusyTest : public TroubleTest {
protected:
    BusyTest() : TroubleTest({.breaker = {.threshold = 1}, .concurrency = {.running = 2, .waiting = 1}}) {
        rig.source->hold = true;
    }
    static Task<void> keep(PipelineRig& rig, std::vector<Result<Output>>& outputs) {
        outputs.push_back(co_await rig.call(kBuyOne, "buy"));
    }
    static Task<void> turns() {
        for (int i = 0; i < 10; ++i) co_await one_turn();
    }
};

TEST_F(BusyTest, ABoundedNumberRunsABoundedNumberWaitsAndTheNextIsToldSo) {
    loop_.run_until_done([](BusyTest& test) -> Task<void> {
        std::vector<Result<Output>> outputs;
        Scope scope(Context::background());
        for (int i = 0; i < 3; ++i) scope.spawn(keep(test.rig, outputs));
        co_await turns();
        EXPECT_EQ(test.rig.source->held, 2u);
        EXPECT_EQ(test.rig.gates.status().at(0).waiting, 1u);
        const auto refused = co_await test.rig.call(kBuyOne, "buy");
        EXPECT_EQ(test.data_of(refused).string_at("reason"), "busy");
        test.rig.source->released.set();
        co_await scope.join();
        EXPECT_EQ(outputs.size(), 3u);
        for (const auto& output : outputs) EXPECT_TRUE(output.has_value());
        EXPECT_EQ(test.rig.gates.status().at(0).running, 0u);
    }(*this));
}

TEST_F(BusyTest, WhoWaitsForASourceThatIsGivenUpIsToldAtOnce) {
    fails_with(ErrorCode::kTimeout);
    loop_.run_until_done([](BusyTest& test) -> Task<void> {
        std::vector<Result<Output>> outputs;
        Scope scope(Context::background());
        for (int i = 0; i < 3; ++i) scope.spawn(keep(test.rig, outputs));
        co_await turns();
        test.rig.source->released.set();
        co_await scope.join();
        EXPECT_EQ(test.rig.source->calls.size(), 2u);
        std::size_t refused = 0;
        for (const auto& output : outputs) refused += test.data_of(output).string_at("reason") == "circuit_open";
        EXPECT_EQ(refused, 1u);
        EXPECT_EQ(test.rig.gates.status().at(0).running, 0u);
    }(*this));
}

TEST_F(BusyTest, ACallerThatLeavesGivesItsPlaceBack) {
    loop_.run_until_done([](BusyTest& test) -> Task<void> {
        std::vector<Result<Output>> outputs;
        const CancelSource stop;
        Scope scope(Context::background());
        auto cancelled = [](PipelineRig& rig, const CancelSource& source) -> Task<void> {
            const auto view = json::scan_envelope(kBuyOne);
            const auto output = co_await rig.pipeline.run(Context::background().stopped_by(source),
                                                          {.verb = Verb::kCallTool,
                                                           .name = "buy",
                                                           .params = view->params.raw(),
                                                           .view = view->in_params,
                                                           .client = rig.traits,
                                                           .snapshot = *rig.snapshot},
                                                          std::make_shared<const Principal>(), rig.line);
            EXPECT_EQ(output.error().code(), ErrorCode::kCancelled);
        };
        for (int i = 0; i < 3; ++i) scope.spawn(cancelled(test.rig, stop));
        co_await turns();
        stop.cancel();
        co_await scope.join();
        EXPECT_EQ(test.rig.gates.status().at(0).running, 0u);
        EXPECT_EQ(test.rig.gates.status().at(0).waiting, 0u);
        EXPECT_EQ(test.rig.gates.status().at(0).failures, 0u) << "leaving is not the source's fault";
    }(*this));
}

class RetryTest : public TroubleTest {
protected:
    RetryTest() : TroubleTest({.retry = {.first = milliseconds(1), .longest = milliseconds(2)}}) {}
    std::size_t attempts_after(Error error) {
        rig.source->calls.clear();
        rig.source->on_call = [error](const AdmittedCall&) { return Result<Output>(fail(error)); };
        EXPECT_FALSE(call().has_value());
        return rig.source->calls.size();
    }
};

TEST_F(RetryTest, OnlyWhatSurelyDidNotRunIsRepeatedAndNotWhatTheConnectionRepeatsItself) {
    EXPECT_EQ(attempts_after(Error(ErrorCode::kLimit, "429").retryable(true)), 3u);
    EXPECT_EQ(attempts_after(Error(ErrorCode::kLimit, "the result is too large")), 1u);
    EXPECT_EQ(attempts_after(Error(ErrorCode::kConnection, "gone")), 1u) << "the connection has tried";
    EXPECT_EQ(attempts_after(Error(ErrorCode::kOutcomeUnknown, "gone")), 1u);
    EXPECT_EQ(attempts_after(Error(ErrorCode::kTimeout, "late")), 1u);
}

TEST_F(RetryTest, ASourceThatHasRoomTheSecondTimeAnswers) {
    rig.source->on_call = [this](const AdmittedCall&) -> Result<Output> {
        if (rig.source->calls.size() == 1) return fail(Error(ErrorCode::kLimit, "429").retryable(true));
        return make_output(R"({"content":[]})", mcp::kLatestRevision);
    };
    EXPECT_TRUE(call().has_value());
    EXPECT_EQ(rig.recorder.records.size(), 1u) << "one call, one record";
}

TEST(RateLimitTest, WhoCallsTooOftenIsToldBeforeAnythingRuns) {
    Loop loop;
    PipelineRig rig({kBuy}, {}, {.sources = {{"shop", {.tool_rates = {{"b*", {.per_second = 0.01, .burst = 1}}}}}}});
    EXPECT_TRUE(loop.run_until_done(rig.call(kBuyOne, "buy")).has_value());
    const auto refused = loop.run_until_done(rig.call(kBuyOne, "buy"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
    EXPECT_EQ(rig.source->calls.size(), 1u);
}

}  // namespace
}  // namespace gantry::gateway
