// Arguments that are expensive to validate: off the loop, bounded, and not at the expense of other calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/pipeline/pipeline_rig.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Each element is checked against two hundred alternatives.
std::string costly_tool() {
    std::string alternatives;
    for (int i = 0; i < 200; ++i) alternatives += (i ? "," : "") + (R"({"const":)" + std::to_string(i) + "}");
    return R"({"name":"costly","inputSchema":{"properties":{"list":{"items":{"anyOf":[)" + alternatives + "]}}}}}";
}

/// Each element matches only the last alternative.
std::string call_with(std::size_t elements) {
    std::string list;
    for (std::size_t i = 0; i < elements; ++i) list += i ? ",199" : "199";
    return R"({"params":{"name":"costly","arguments":{"list":[)" + list + "]}}}";
}

/// Takes about eight million steps, so that no call finishes before all have arrived. A sanitizer makes each step
/// twenty times as slow.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::size_t kLongList = 2'000;
#else
constexpr std::size_t kLongList = 14'000;
#endif

class CostlyTest : public testing::Test {
protected:
    void make(RigOptions options = {}) {
        rig = std::make_unique<PipelineRig>(
            std::vector{costly_tool(), std::string(R"({"name":"plain","inputSchema":{"required":["a"]}})")}, options);
    }
    Result<Output> call(const std::string& message) { return loop.run_until_done(rig->call(message, "costly")); }
    CostlyChecks::Counts counts() const { return rig->pipeline.costly_checks().counts("shop"); }

    Loop loop;
    std::unique_ptr<PipelineRig> rig;
};

Task<void> note_end(PipelineRig& rig, std::string message, std::string name, std::vector<std::string>& ended) {
    auto output = co_await rig.call(message, name);
    ended.push_back(name + (output ? "" : ": " + output.error().message()));
}

TEST_F(CostlyTest, OtherCallsAreAnsweredWhileArgumentsAreValidated) {
    make();
    std::vector<std::string> ended;
    loop.run_until_done([](PipelineRig& street, std::vector<std::string>& order) -> Task<void> {
        Scope scope(Context::background());
        scope.spawn(note_end(street, call_with(2000), "costly", order));
        scope.spawn(note_end(street, R"({"params":{"name":"plain","arguments":{"a":1}}})", "plain", order));
        co_await scope.join();
    }(*rig, ended));
    EXPECT_THAT(ended, ElementsAre("plain", "costly"));
    EXPECT_EQ(counts().checked, 1u);
    ASSERT_EQ(rig->source->calls.size(), 2u) << "it was admitted in the end";
    EXPECT_EQ(rig->recorder.records.size(), 2u);
}

TEST_F(CostlyTest, CheapArgumentsNeverLeaveTheLoop) {
    make();
    EXPECT_TRUE(call(call_with(10)));
    EXPECT_EQ(counts().checked, 0u);
}

TEST_F(CostlyTest, ArgumentsThatDoNotFitAreRefusedInTheUsualWords) {
    make();
    std::string message = call_with(2000);
    message.insert(message.find(']'), ",999");
    const auto refused = call(message);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kSchema);
    EXPECT_THAT(refused.error().message(), HasSubstr("arguments: /list/2000"));
    EXPECT_EQ(counts().checked, 1u);
    EXPECT_TRUE(rig->source->calls.empty());
    EXPECT_EQ(rig->recorder.records.back().source, "shop");
}

TEST_F(CostlyTest, BeyondTheStepsTheCallIsRefusedAndCounted) {
    make({.guard = {.max_steps = 100'000}});
    const auto refused = call(call_with(2000));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
    EXPECT_THAT(refused.error().message(), HasSubstr("too costly"));
    EXPECT_THAT(refused.error().message(), HasSubstr("limits.validation_steps"));
    EXPECT_FALSE(refused.error().retryable());
    EXPECT_EQ(counts().too_costly, 1u);
    EXPECT_TRUE(rig->source->calls.empty());
}

TEST_F(CostlyTest, LongArgumentsAreNotReadOnTheLoop) {
    make({.guard = {.loop_bytes = 1000}});
    EXPECT_TRUE(
        call(R"({"params":{"name":"costly","arguments":{"list":[1],"padding":")" + std::string(2000, 'x') + R"("}}})"));
    EXPECT_EQ(counts().checked, 1u);
}

TEST_F(CostlyTest, ASourceThatWasCostlyHasFewerStepsOnTheLoopForAWhile) {
    make();
    EXPECT_TRUE(call(call_with(2000)));
    EXPECT_EQ(counts().checked, 1u);
    EXPECT_TRUE(call(call_with(10)));
    EXPECT_EQ(counts().checked, 2u) << "it is not tried on the loop first";
    EXPECT_TRUE(call(call_with(1)));
    EXPECT_EQ(counts().checked, 2u) << "what is cheap stays on the loop";
}

TEST_F(CostlyTest, AWhileLaterItHasAllItsStepsAgain) {
    make({.guard = {.costly_for = Duration::zero()}});
    EXPECT_TRUE(call(call_with(2000)));
    EXPECT_TRUE(call(call_with(10)));
    EXPECT_EQ(counts().checked, 1u);
}

TEST_F(CostlyTest, ErrorsWithALongDefinitionAreNotMadeOnTheLoop) {
    make({.guard = {.loop_bytes = 1000}});
    const auto refused = call(R"({"params":{"name":"costly","arguments":{"list":[999]}}})");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("arguments: /list/0"));
    EXPECT_EQ(counts().checked, 1u);
}

TEST_F(CostlyTest, OneSourceCannotQueueWithoutBound) {
    make();
    std::vector<std::string> ended;
    loop.run_until_done([](PipelineRig& street, std::vector<std::string>& order) -> Task<void> {
        Scope scope(Context::background());
        for (int i = 0; i < 12; ++i) scope.spawn(note_end(street, call_with(kLongList), "costly", order));
        co_await scope.join();
    }(*rig, ended));
    EXPECT_EQ(counts().checked, 8u);
    EXPECT_EQ(counts().turned_away, 4u);
    EXPECT_THAT(ended[0], HasSubstr("too many calls wait"));
    EXPECT_EQ(rig->source->calls.size(), 8u);
}

}  // namespace
}  // namespace gantry::gateway
